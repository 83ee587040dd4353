/** Hides what may be secret in configuration; names stay visible. */
import { isRecord } from '../contract/json.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'

const MASK = '***'
const SECRET_NAME = /key|token|secret|password|passwd|credential|auth|bearer|cookie/i

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i

/** Without user, password and fragment; of the query only the names. */
export const maskUrl = (text: string): string => {
  if (!ADDRESS.test(text) || !URL.canParse(text)) return MASK
  const url = new URL(text)
  url.username = ''
  url.password = ''
  url.hash = ''
  const names = [...new Set(url.searchParams.keys())]
  url.search = ''
  const query = names.map((name) => `${encodeURIComponent(name)}=${MASK}`).join('&')
  return query === '' ? url.href : `${url.href}?${query}`
}

/** Arguments that look like secrets: what follows, or is joined to, a flag or variable named like one. */
export const maskArgs = (args: readonly string[]): string[] =>
  args.map((arg, at) => {
    const [, name] = /^([\w-]+)[=:]/.exec(arg) ?? []
    if (name !== undefined && SECRET_NAME.test(name)) return `${arg.slice(0, name.length + 1)}${MASK}`
    const before = args[at - 1] ?? ''
    if (before.startsWith('-') && !before.includes('=') && SECRET_NAME.test(before)) return MASK
    return ADDRESS.test(arg) ? maskUrl(arg) : arg
  })

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
