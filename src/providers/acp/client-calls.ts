/** What a session's agent asks of the person's client: checked here, and passed on as it was said. */
import type { ClientMethod } from '../../contract/client.ts'
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { INVALID_PARAMS, RpcError } from '../../wire/rpc-error.ts'
import { checkedFile, confinedDirectory } from './confine.ts'
import type { ClientMethods } from './offered-methods.ts'

/** A client that doesn't let go of a terminal by then isn't waited for. */
const RELEASE_MS = 2000

export type Call = (method: ClientMethod, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>

export interface ClientCallsOptions {
  readonly call: Call
  readonly roots: readonly string[]
  /** Variables that every command of the session gets, unless the agent names its own. */
  readonly env: Readonly<Record<string, string>>
  readonly elicitation: ClientMethods['elicitation']
}

export class ClientCalls {
  readonly #options: ClientCallsOptions
  /** Those that the agent has made and not released: no other session's are within its reach. */
  readonly #terminals = new Set<string>()
  #closed = false

  constructor(options: ClientCallsOptions) {
    this.#options = options
  }

  async file(
    method: 'fs/read_text_file' | 'fs/write_text_file',
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<object> {
    await checkedFile(text(params, 'path'), this.#options.roots)
    return this.#options.call(method, params, signal)
  }

  /** Not withdrawn by whoever leaves: a terminal that nobody waits for any more is to be released. */
  async createTerminal(params: JsonObject): Promise<object> {
    const { roots, env, call } = this.#options
    const { cwd, env: given } = params
    const directory = typeof cwd === 'string' ? await confinedDirectory(cwd, roots) : roots[0]
    const asked = { ...params, cwd: directory ?? null, env: withVariables(given, env) }
    const result = await call('terminal/create', asked, new AbortController().signal)
    const { terminalId } = result
    if (typeof terminalId !== 'string') throw new RpcError(INVALID_PARAMS, 'the client named no terminal')
    this.#terminals.add(terminalId)
    if (this.#closed) {
      await this.close()
      throw new RpcError(INVALID_PARAMS, 'the session is closed')
    }
    return result
  }

  async terminal(
    method: 'terminal/output' | 'terminal/wait_for_exit' | 'terminal/kill' | 'terminal/release',
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<object> {
    const id = text(params, 'terminalId')
    if (!this.#terminals.has(id))
      throw new RpcError(INVALID_PARAMS, `there is no terminal ${JSON.stringify(id)}`)
    if (method === 'terminal/release') this.#terminals.delete(id)
    return this.#options.call(method, params, signal)
  }

  /** Of the two scopes that a question can have, a request of ours means nothing to the client. */
  elicit(params: JsonObject, signal: AbortSignal): Promise<object> {
    const { requestId: _, ...asked } = params
    const { form, url } = this.#options.elicitation
    const { mode } = params
    if ((mode === 'form' && form) || (mode === 'url' && url))
      return this.#options.call('elicitation/create', asked, signal)
    throw new RpcError(INVALID_PARAMS, `the mode ${JSON.stringify(mode) ?? 'of the question'} wasn't offered`)
  }

  /** What the agent left is released. */
  async close(): Promise<void> {
    this.#closed = true
    const left = [...this.#terminals]
    this.#terminals.clear()
    const signal = AbortSignal.timeout(RELEASE_MS)
    await Promise.allSettled(
      left.map((terminalId) => this.#options.call('terminal/release', { terminalId }, signal)),
    )
  }
}

const text = (params: JsonObject, field: string): string => {
  const value = params[field]
  if (typeof value === 'string') return value
  throw new RpcError(INVALID_PARAMS, `${field} must be a string`)
}

const withVariables = (given: unknown, more: Readonly<Record<string, string>>): JsonObject[] => {
  const own = (Array.isArray(given) ? given : []).filter((pair) => isRecord(pair)) as JsonObject[]
  const named = new Set(own.map(({ name }) => name))
  const added = Object.entries(more).filter(([name]) => !named.has(name))
  return [...own, ...added.map(([name, value]) => ({ name, value }))]
}
