/** Serves the agent's requests: permissions always, anything else as far as it was offered, and by whom. */
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from '../../wire/rpc-error.ts'
import type { ClientCalls } from './client-calls.ts'
import { confinedDirectory, readConfined, writeConfined } from './confine.ts'
import type { ClientMethods } from './offered-methods.ts'
import type { Terminals } from './terminals.ts'

export interface ClientContext {
  readonly methods: ClientMethods
  /** The session's directories: cwd and the additional ones. */
  readonly roots: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly terminals: Terminals
  readonly client: ClientCalls
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

/** Files and terminals of this process. */
const serveLocally = async (
  method: string,
  params: Record<string, unknown>,
  context: ClientContext,
): Promise<object> => {
  const { terminals, roots } = context
  const id = (): string => text(params, 'terminalId')
  switch (method) {
    case 'fs/read_text_file':
      return { content: await readConfined(text(params, 'path'), roots, lines(params)) }
    case 'fs/write_text_file':
      await writeConfined(text(params, 'path'), roots, text(params, 'content'))
      return {}
    case 'terminal/create':
      return createTerminal(params, context)
    case 'terminal/output':
      return terminals.output(id())
    case 'terminal/wait_for_exit':
      return terminals.waitForExit(id())
    case 'terminal/kill':
      return terminals.kill(id())
    default:
      return terminals.release(id())
  }
}

/** Answers, or throws the `RpcError` that the agent gets. A method that wasn't offered doesn't exist. */
export const serve = async (
  method: string,
  raw: unknown,
  context: ClientContext,
  signal: AbortSignal,
): Promise<object> => {
  const params = isRecord(raw) ? raw : {}
  const { methods, client } = context
  const said = params as JsonObject
  switch (method) {
    case 'session/request_permission':
      return context.requestPermission(params)
    case 'fs/read_text_file':
    case 'fs/write_text_file': {
      const source = method === 'fs/read_text_file' ? methods.read : methods.write
      if (source === 'client') return client.file(method, said, signal)
      if (source === 'local') return serveLocally(method, params, context)
      break
    }
    case 'terminal/create':
    case 'terminal/output':
    case 'terminal/wait_for_exit':
    case 'terminal/kill':
    case 'terminal/release':
      if (methods.terminal === 'local') return serveLocally(method, params, context)
      if (methods.terminal === undefined) break
      return method === 'terminal/create'
        ? client.createTerminal(said)
        : client.terminal(method, said, signal)
    case 'elicitation/create':
      if (methods.elicitation.form || methods.elicitation.url) return client.elicit(said, signal)
      break
    default:
      break
  }
  throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`)
}

const lines = (params: Record<string, unknown>): { line?: number; limit?: number } => {
  const [line, limit] = [count(params, 'line'), count(params, 'limit')]
  return { ...(line !== undefined && { line }), ...(limit !== undefined && { limit }) }
}
