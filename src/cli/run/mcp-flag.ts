/** `--mcp-config`: MCP servers in the form that most agents' own files have, or in the configuration's. Pure, but for files. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { McpServer } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'

const FLAG = '--mcp-config'

const usage = (message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', `${FLAG} ${message}`, { field: FLAG })

/** What is in such a file may be secret: messages name keys alone. */
const textOf = (given: string, cwd: string): string => {
  if (/^\s*[{[]/u.test(given)) return given
  try {
    return readFileSync(resolve(cwd, given), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usage(`names the file ${given}, which can't be read (${code}). Give a file, or JSON.`)
  }
}

const pairs = (of: string, value: unknown): readonly { readonly name: string; readonly value: string }[] => {
  if (value === undefined) return []
  const entries = isRecord(value) ? Object.entries(value) : undefined
  if (entries === undefined || entries.some(([, each]) => typeof each !== 'string'))
    throw usage(`has "${of}", which must be an object of texts.`)
  return entries.map(([name, each]) => ({ name, value: String(each) }))
}

/** One entry of `{ "name": { "command": …, "env": {…} } }`. */
const serverOf = (name: string, entry: unknown): McpServer => {
  const { command, args = [], env, type, url, headers } = isRecord(entry) ? entry : {}
  if (typeof command === 'string' && (type === undefined || type === 'stdio')) {
    if (!Array.isArray(args) || args.some((arg) => typeof arg !== 'string'))
      throw usage(`has "${name}.args", which must be a list of texts.`)
    return { name, command, args: args.map(String), env: [...pairs(`${name}.env`, env)] }
  }
  if (typeof url === 'string' && (type === 'http' || type === 'sse'))
    return { type, name, url, headers: [...pairs(`${name}.headers`, headers)] }
  throw usage(`has the server "${name}", which needs "command", or "url" with the type "http" or "sse".`)
}

/** Of a list, as the configuration has it, the request's own schema checks the entries. */
export const mcpFlag = (given: string, cwd: string): readonly McpServer[] => {
  let value: unknown
  try {
    value = JSON.parse(textOf(given, cwd))
  } catch (error) {
    if (SubagentError.is(error)) throw error
    throw usage('holds no valid JSON.')
  }
  const servers = isRecord(value) && 'mcpServers' in value ? value['mcpServers'] : value
  if (Array.isArray(servers)) return servers as readonly McpServer[]
  if (!isRecord(servers)) throw usage('must hold { "mcpServers": { "NAME": { "command": … } } }.')
  return Object.entries(servers).map(([name, entry]) => serverOf(name, entry))
}
