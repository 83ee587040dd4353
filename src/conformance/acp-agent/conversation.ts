/** One agent process and the mock client that talks to it, on raw lines: a client without any capability. */
import { isRecord } from '../../contract/json.ts'
import { LineFramer } from '../../wire/framing.ts'
import { VERSION } from '../../version.ts'
import { shown, Unmet } from '../failure.ts'
import { AUTH_REQUIRED } from './facts.ts'
import type { AgentLink } from './link.ts'
import { readHeard, updateOf } from './message.ts'
import type { Heard, Update } from './message.ts'
import type { Settings } from './options.ts'
import { NotTested } from './outcome.ts'
import { Transcript } from './transcript.ts'

/** Requests whose results name a session, or that take one up. */
const OPENS: ReadonlySet<unknown> = new Set(['session/new', 'session/load', 'session/resume', 'session/fork'])
/** Whether somebody is signed in is a matter of the whole process. */
const SIGNS: ReadonlySet<string> = new Set(['authenticate', 'logout'])

const METHOD_NOT_FOUND = { code: -32601, message: 'Method not found' }

export class Conversation implements AsyncDisposable {
  readonly heard: Heard[] = []
  readonly transcript: Transcript
  /** Cancel was sent: permission requests are answered `cancelled` from now on. */
  cancelled = false
  /** `false` from the first byte on that is no UTF-8. */
  utf8 = true
  readonly #link: AgentLink
  readonly #settings: Settings
  readonly #methods = new Map<unknown, string>()
  readonly #framer: LineFramer
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #waiting = new Set<() => void>()
  /** Sessions of conversations that this one follows: what comes of them late isn't heard. */
  readonly #earlier: ReadonlySet<unknown>
  readonly #sessions = new Set<string>()
  readonly #open = new Set<unknown>()
  #exited = false
  #changed = false
  #nextId: number

  constructor(link: AgentLink, settings: Settings, before?: Conversation) {
    this.#link = link
    this.#nextId = before === undefined ? 1 : before.#nextId
    this.#earlier = new Set(before === undefined ? [] : [...before.#earlier, ...before.#sessions])
    this.#settings = settings
    this.transcript = new Transcript((text) => link.mask(text))
    this.#framer = new LineFramer({
      line: (text) => this.#hear(text),
      oversized: (head) => this.#hear(head),
    })
    link.read((bytes) => this.#read(bytes))
    void this.#end(link.exited)
  }

  /** Another conversation on the same process. */
  successor(): Conversation {
    return new Conversation(this.#link, this.#settings, this)
  }

  /** Sessions that were opened in it. */
  get sessions(): Iterable<string> {
    return this.#sessions
  }

  /** No other conversation can follow it: the process has ended or is to end, owes an answer, or is another than before. */
  get spent(): boolean {
    return this.#exited || this.#changed || this.#open.size > 0
  }

  get exited(): boolean {
    return this.#exited
  }

  /** What the agent answered to initialize; undefined before, or when that failed. */
  get version(): unknown {
    const { result } = this.heard.find(({ answers }) => answers === 'initialize') ?? {}
    return isRecord(result) ? result['protocolVersion'] : undefined
  }

  stderr(): string {
    return this.#link.stderr()
  }

  /** A line as it is, which may be no JSON. */
  raw(line: string): void {
    this.transcript.add('→', line)
    this.#link.write(`${line}\n`)
  }

  notify(method: string, params: object): void {
    this.raw(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  /** Its response, be it an error; throws `Unmet` when none comes. */
  async request(method: string, params: object, ownId?: number | string): Promise<Heard> {
    const id = ownId ?? this.#nextId
    if (ownId === undefined) this.#nextId += 1
    this.#methods.set(id, method)
    this.#open.add(id)
    this.#changed ||= SIGNS.has(method)
    if (OPENS.has(method)) this.#opened(params)
    this.raw(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    const { timeoutMs, startupMs } = this.#settings
    const limitMs = method === 'initialize' ? startupMs : timeoutMs
    const found = await this.until(
      () => this.heard.find((message) => message.kind === 'response' && message.id === id),
      limitMs,
    )
    if (found !== undefined) return found
    const instead = this.#exited ? 'the end of the process' : `none within ${limitMs / 1000} s`
    throw new Unmet(`a response to ${method}`, instead)
  }

  /** The result of a request that only prepares what is to be checked. */
  async prepared(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const { result, error } = await this.request(method, params).catch((fault: unknown) => {
      throw new NotTested(`${method}: ${fault instanceof Error ? fault.message : String(fault)}`)
    })
    if (error?.code === AUTH_REQUIRED)
      throw new NotTested('The agent wants a sign-in first. Sign in, or name a method with --auth-method.')
    if (error !== undefined) throw new NotTested(`${method} failed: ${shown(error)}`)
    return isRecord(result) ? result : {}
  }

  initializeParams(clientCapabilities: object = {}): object {
    const clientInfo = { name: 'subgate-conformance', version: VERSION }
    return { protocolVersion: 1, clientCapabilities, clientInfo }
  }

  sessionParams(more: object = {}): object {
    return { cwd: this.#settings.cwd, mcpServers: [], ...more }
  }

  /** Resolves with the first thing that `find` finds, now or after a later message; undefined at the limit or end. */
  async until<T>(find: () => T | undefined, ms: number = this.#settings.timeoutMs): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>()
    const look = (): void => {
      const found = find()
      if (found !== undefined || this.#exited) resolve(found)
    }
    // A process that was busy itself reads what has come meanwhile before it calls it nothing.
    const timer = setTimeout(() => setImmediate(() => resolve(find())), ms)
    this.#waiting.add(look)
    look()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(look)
    }
  }

  /** Waits until nothing has come for a while; resolves with what came from `mark` on. */
  async quiet(mark: number = this.heard.length): Promise<readonly Heard[]> {
    const deadline = Date.now() + this.#settings.timeoutMs
    for (let count = -1; count !== this.heard.length && !this.#exited && Date.now() < deadline;) {
      count = this.heard.length
      await this.until(() => (this.heard.length > count ? true : undefined), this.#settings.quietMs)
    }
    return this.heard.slice(mark)
  }

  /** Closes stdin; true when the process ended by itself within the grace. */
  async leave(): Promise<boolean> {
    this.#changed = true
    this.#link.endInput()
    await this.until(() => undefined, this.#settings.closeGraceMs)
    return this.#exited
  }

  updates(mark = 0): readonly Update[] {
    return this.heard.slice(mark).flatMap((message) => updateOf(message) ?? [])
  }

  requests(): readonly Heard[] {
    return this.heard.filter(({ kind }) => kind === 'request')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link[Symbol.asyncDispose]()
  }

  #read(bytes: Uint8Array): void {
    try {
      this.#decoder.decode(bytes, { stream: true })
    } catch {
      this.utf8 = false
    }
    this.#framer.push(bytes)
    this.#wake()
  }

  async #end(exited: Promise<void>): Promise<void> {
    await exited
    this.#framer.end()
    this.#exited = true
    this.#wake()
  }

  #hear(text: string): void {
    this.transcript.add('←', text)
    const message = readHeard(text, (id) => this.#methods.get(id))
    if (!this.#isLate(message)) this.heard.push(message)
    if (message.kind === 'request') this.#answer(message)
    if (message.kind !== 'response') return
    this.#open.delete(message.id)
    if (OPENS.has(message.answers)) this.#opened(message.result)
  }

  #isLate({ params }: Heard): boolean {
    const id = isRecord(params) ? params['sessionId'] : undefined
    return typeof id === 'string' && this.#earlier.has(id) && !this.#sessions.has(id)
  }

  #opened(named: unknown): void {
    const id = isRecord(named) ? named['sessionId'] : undefined
    if (typeof id === 'string') this.#sessions.add(id)
  }

  #answer({ id, method, params }: Heard): void {
    const answer =
      method === 'session/request_permission'
        ? { result: { outcome: this.#outcome(params) } }
        : { error: METHOD_NOT_FOUND }
    this.raw(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }

  /** The first option, as the kit has it. */
  #outcome(params: unknown): object {
    const options = isRecord(params) && Array.isArray(params['options']) ? params['options'] : []
    const first: unknown = options[0]
    return this.cancelled || !isRecord(first)
      ? { outcome: 'cancelled' }
      : { outcome: 'selected', optionId: first['optionId'] }
  }

  #wake(): void {
    for (const look of this.#waiting) look()
  }
}
