/** Serves the agent's requests: permissions always, files and terminals only when they were configured. */
import { isRecord } from '../../contract/json.ts'
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from '../../wire/rpc-error.ts'
import { confinedDirectory, readConfined, writeConfined } from './confine.ts'
import type { ClientMethods } from './handshake.ts'
import type { Terminals } from './terminals.ts'

export interface ClientContext {
  readonly methods: ClientMethods
  /** The session's directories: cwd and the additional ones. */
  readonly roots: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly terminals: Terminals
  requestPermission(params: unknown): Promise<object>
}

const text = (params: Record<string, unknown>, field: string): string => {
  const value = params[field]
  if (typeof value === 'string') return value
  throw new RpcError(INVALID_PARAMS, `${field} must be a string`)
}

const count = (params: Record<string, unknown>, field: string): number | undefined => {
  const value = params[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new RpcError(INVALID_PARAMS, `${field} must be a whole number`)
}

const variables = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    (Array.isArray(value) ? value : [])
      .filter((pair) => isRecord(pair))
      .map((pair) => [String(pair['name']), String(pair['value'])]),
  )

const createTerminal = async (params: Record<string, unknown>, context: ClientContext): Promise<object> => {
  const { env, roots, terminals } = context
  const { args, cwd } = params
  const terminalId = await terminals.create({
    command: text(params, 'command'),
    args: Array.isArray(args) ? args.map(String) : [],
    cwd: typeof cwd === 'string' ? await confinedDirectory(cwd, roots) : (roots[0] ?? '/'),
    env: { ...env, ...variables(params['env']) },
    outputByteLimit: count(params, 'outputByteLimit'),
  })
  return { terminalId }
}

/** Answers, or throws the `RpcError` that the agent gets. A method that wasn't advertised doesn't exist. */
export const serve = (method: string, raw: unknown, context: ClientContext): Promise<object> => {
  const params = isRecord(raw) ? raw : {}
  const { methods, terminals, roots } = context
  const terminal = (call: (id: string) => object | Promise<object>): Promise<object> =>
    Promise.try(call, text(params, 'terminalId'))
  switch (method) {
    case 'session/request_permission':
      return context.requestPermission(params)
    case 'fs/read_text_file':
      if (!methods.read) break
      return readConfined(text(params, 'path'), roots, optional(params)).then((content) => ({ content }))
    case 'fs/write_text_file':
      if (!methods.write) break
      return writeConfined(text(params, 'path'), roots, text(params, 'content')).then(() => ({}))
    case 'terminal/create':
      if (!methods.terminal) break
      return createTerminal(params, context)
    case 'terminal/output':
      if (!methods.terminal) break
      return terminal((id) => terminals.output(id))
    case 'terminal/wait_for_exit':
      if (!methods.terminal) break
      return terminal((id) => terminals.waitForExit(id))
    case 'terminal/kill':
      if (!methods.terminal) break
      return terminal((id) => terminals.kill(id))
    case 'terminal/release':
      if (!methods.terminal) break
      return terminal((id) => terminals.release(id))
    default:
      break
  }
  throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`)
}

const optional = (params: Record<string, unknown>): { line?: number; limit?: number } => {
  const [line, limit] = [count(params, 'line'), count(params, 'limit')]
  return { ...(line !== undefined && { line }), ...(limit !== undefined && { limit }) }
}
