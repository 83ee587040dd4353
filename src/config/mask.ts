/** Hides what may be secret in configuration; names stay visible. */
import { isRecord } from '../contract/json.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { MASK, maskArgs, maskUrl } from '../contract/secrets.ts'

const maskPairs = (pairs: unknown): JsonObject =>
  Object.fromEntries(
    (Array.isArray(pairs) ? pairs : [])
      .filter(isRecord)
      .map((pair): [string, JsonValue] => [String(pair['name']), MASK]),
  )

/** Only the fields that ACP has are shown: any other might hold anything. */
const maskServer = (server: Record<string, unknown>): JsonObject => ({
  ...(typeof server['type'] === 'string' && { type: server['type'] }),
  ...(typeof server['command'] === 'string' && { command: server['command'] }),
  ...(Array.isArray(server['args']) && { args: maskArgs(server['args'].map(String)) }),
  ...(typeof server['url'] === 'string' && { url: maskUrl(server['url']) }),
  ...(typeof server['serverId'] === 'string' && { serverId: server['serverId'] }),
  ...('headers' in server && { headers: maskPairs(server['headers']) }),
  ...('env' in server && { env: maskPairs(server['env']) }),
})

/** The value of one key as it may be shown; `pattern` is the key's in the key table. */
export const maskValue = (pattern: string, value: unknown): JsonValue => {
  if (pattern === 'mcpServers.*' && isRecord(value)) return maskServer(value)
  if (pattern === 'providers.*.command' && Array.isArray(value)) return maskArgs(value.map(String))
  if (pattern === 'providers.*.env.*') return value === true ? true : MASK
  return value as JsonValue
}
