/** An editor on raw lines: starts `subgate acp`, and sees every byte that it writes. */
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'

export const MAIN: string = join(import.meta.dirname, '../../src/cli/main.ts')
const FIXTURE: string = join(import.meta.dirname, '../fixtures/acp/provider.ts')

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: number | string | null
  readonly method?: string
  // Whatever it says: the tests look at its shape.
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any }
}

export interface EditorOptions {
  readonly args?: readonly string[]
  readonly config?: object
  readonly providers?: object
  readonly env?: Readonly<Record<string, string>>
  /** Answers the face's requests; undefined leaves one unanswered. */
  readonly answer?: (message: Message) => { result: unknown } | { error: unknown } | undefined
  readonly capabilities?: object
}

const MAX_WAIT_MS = 45_000

/** What the face says of a chat by itself, beside what its agent says. */
const OWN_UPDATES: ReadonlySet<string> = new Set([
  'available_commands_update',
  'config_option_update',
  'session_info_update',
])

export class Editor implements AsyncDisposable {
  readonly dir: string = realpathSync(mkdtempSync(join(tmpdir(), 'subgate-editor-')))
  readonly process: ChildProcessWithoutNullStreams
  readonly lines: string[] = []
  readonly messages: Message[] = []
  readonly exited: Promise<unknown[]>
  stderr = ''
  readonly #options: EditorOptions
  #rest = ''
  #nextId = 0
  #wake: (() => void)[] = []

  constructor(options: EditorOptions = {}) {
    this.#options = options
    const config = join(this.dir, 'config')
    mkdirSync(join(config, 'subgate'), { recursive: true })
    const providers = { fixture: { module: FIXTURE } }
    writeFileSync(
      join(config, 'subgate/config.json'),
      JSON.stringify({
        subagent: { maxDepth: 3 },
        ...options.config,
        providers: { ...providers, ...options.providers },
      }),
    )
    this.process = spawn(process.execPath, [MAIN, 'acp', ...(options.args ?? ['--provider', 'fixture'])], {
      cwd: this.dir,
      env: { ...process.env, XDG_CONFIG_HOME: config, ...options.env },
    })
    this.exited = once(this.process, 'exit')
    this.process.stdin.on('error', () => {})
    this.process.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    this.process.stdout.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
  }

  send(message: object): void {
    this.raw(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  raw(line: string): void {
    this.process.stdin.write(`${line}\n`)
  }

  notify(method: string, params: object): void {
    this.send({ method, params })
  }

  async request(method: string, params: object, id: number | string = (this.#nextId += 1)): Promise<Message> {
    this.send({ id, method, params })
    return this.response(id)
  }

  response(id: number | string): Promise<Message> {
    return this.until((message) => message.id === id && message.method === undefined, `the answer ${id}`)
  }

  /** The first message that fits, however long ago it came. */
  async until(fits: (message: Message) => boolean, what = 'a message'): Promise<Message> {
    let found: Message | undefined
    await this.when(() => (found = this.messages.find(fits)) !== undefined, what)
    return found as unknown as Message
  }

  async when(holds: () => boolean, what = 'something'): Promise<void> {
    const deadline = Date.now() + MAX_WAIT_MS
    while (!holds()) {
      if (Date.now() > deadline) {
        const tail = this.lines.slice(-5).join('\n')
        throw new Error(`waited in vain for ${what}: ${tail}\n${this.stderr}`)
      }
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve)
        setTimeout(resolve, 50)
      })
    }
  }

  initialize(protocolVersion = 1): Promise<Message> {
    const clientCapabilities = this.#options.capabilities ?? {}
    return this.request('initialize', { protocolVersion, clientCapabilities })
  }

  /** Initialized, with a session; resolves with its id. */
  async open(more: object = {}): Promise<string> {
    await this.initialize()
    return this.session(more)
  }

  async session(more: object = {}): Promise<string> {
    const { result } = await this.request('session/new', { cwd: this.dir, mcpServers: [], ...more })
    return result.sessionId as string
  }

  prompt(sessionId: string, words: string, id?: number | string): Promise<Message> {
    return this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: words }] }, id)
  }

  /** Without what the face says of a chat by itself. */
  updates(sessionId?: string): readonly Message[] {
    return this.allUpdates(sessionId).filter(({ params }) => !OWN_UPDATES.has(params.update.sessionUpdate))
  }

  allUpdates(sessionId?: string): readonly Message[] {
    return this.messages.filter(
      ({ method, params }) =>
        method === 'session/update' && (sessionId === undefined || params.sessionId === sessionId),
    )
  }

  /** The updates of one kind, in the order in which they came. */
  told(kind: string, sessionId?: string): readonly any[] {
    return this.allUpdates(sessionId)
      .map(({ params }) => params.update)
      .filter(({ sessionUpdate }) => sessionUpdate === kind)
  }

  said(): string {
    return this.updates()
      .map(({ params }) => params.update.content?.text ?? '')
      .join('')
  }

  asked(): readonly Message[] {
    return this.messages.filter(({ method }) => method === 'session/request_permission')
  }

  async leave(): Promise<unknown[]> {
    this.process.stdin.end()
    return this.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.stdin.end()
      const timer = setTimeout(() => this.process.kill('SIGKILL'), 6000)
      await this.exited
      clearTimeout(timer)
    }
    rmSync(this.dir, { recursive: true, force: true })
  }

  #read(text: string): void {
    this.#rest += text
    const lines = this.#rest.split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      this.lines.push(line)
      const message = JSON.parse(line) as Message
      this.messages.push(message)
      if (message.method !== undefined && message.id !== undefined) this.#answer(message)
    }
    for (const wake of this.#wake.splice(0)) wake()
  }

  #answer(message: Message): void {
    const answer = this.#options.answer?.(message)
    if (answer !== undefined) this.send({ id: message.id, ...answer })
  }
}

/** An editor whose agent plays a script. */
export const fakeEditor = (script: readonly FakeStep[], config: object = {}, graces: object = {}): Editor => {
  const { command, args } = fakeAgentCommand(script)
  const providers = { fake: { command: [command, ...args], graces } }
  return new Editor({ args: ['--provider', 'fake'], config, providers })
}

/** What stands in `_meta.subgate` of a message's params or result. */
export const subgateOf = (carrier: any): any => carrier['_meta'].subgate

export const choose =
  (optionId: string): NonNullable<EditorOptions['answer']> =>
  () => ({ result: { outcome: { outcome: 'selected', optionId } } })

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
