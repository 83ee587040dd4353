/** The fake agent itself: routes what comes in on stdin to the script, its handlers or the defaults. */
import { StringDecoder } from 'node:string_decoder'
import { FakeConnection } from './fake-connection.ts'
import type { Incoming, Settlement } from './fake-connection.ts'
import { FakeDefaults } from './fake-defaults.ts'
import { FakeFlow } from './fake-flow.ts'
import { closeStream, FakeOutput } from './fake-output.ts'
import { expectations, waitsForEnd } from './fake-script.ts'
import type { FakeId, FakeStep } from './fake-step.ts'

export type BehaveStep = Extract<
  FakeStep,
  | { on: string }
  | { ignore: unknown }
  | { close: unknown }
  | { exit: number }
  | { kill: unknown }
  | { log: string }
  | { lenient: true }
>

interface Waiter {
  readonly method: string
  readonly take: (message: Incoming) => void
}

export class FakeAgent {
  readonly output: FakeOutput = new FakeOutput()
  readonly connection: FakeConnection = new FakeConnection(this.output)
  readonly #defaults = new FakeDefaults(this.connection)
  readonly #script: readonly FakeStep[]
  readonly #handlers = new Map<string, readonly FakeStep[]>()
  readonly #ignored = new Set<string>()
  /** How often the script will still expect each method. */
  #ahead: Map<string, number>
  #inbox: Incoming[] = []
  #waiters: Waiter[] = []
  #lineWaiters: { readonly part: string; readonly take: () => void }[] = []
  readonly #end = Promise.withResolvers<void>()
  #scriptEnded = false
  #stdinEnded = false
  grandchild: string | undefined

  constructor(script: readonly FakeStep[]) {
    this.#script = script
    this.#ahead = expectations(script)
  }

  get ended(): Promise<void> {
    return this.#end.promise
  }

  async run(): Promise<void> {
    // Only steps and the end of stdin end the fake.
    setInterval(() => {}, 2 ** 30)
    process.stderr.on('error', () => {})
    // Input is held back until the first steps, such as `log` and `on`, stand.
    setImmediate(() => this.#read())
    await new FakeFlow(this).play(this.#script)
    await this.output.flush()
    this.#scriptEnded = true
    this.#ahead = new Map()
    for (const message of this.#inbox.splice(0)) this.#receive(message)
    await this.#exitAtEnd()
  }

  next(method: string): Promise<Incoming> {
    this.#ahead.set(method, (this.#ahead.get(method) ?? 1) - 1)
    const index = this.#inbox.findIndex((message) => message.method === method)
    const [kept] = index === -1 ? [] : this.#inbox.splice(index, 1)
    if (kept) return Promise.resolve(kept)
    return new Promise((take) => {
      this.#waiters.push({ method, take })
    })
  }

  nextLine(part: string): Promise<void> {
    return new Promise((take) => {
      this.#lineWaiters.push({ part, take })
    })
  }

  grew(pid: number): void {
    this.grandchild = String(pid)
    this.connection.log({ grandchild: pid })
  }

  async behave(step: BehaveStep): Promise<void> {
    if ('on' in step) this.#handlers.set(step.on, step.do)
    else if ('ignore' in step) for (const what of step.ignore) this.#ignore(what)
    else if ('lenient' in step) this.connection.lenient = true
    else if ('log' in step) {
      this.connection.logFile = step.log
      this.connection.log({ started: { pid: process.pid, cwd: process.cwd(), argv: process.argv } })
    } else {
      await this.output.flush()
      if ('exit' in step) process.exit(step.exit)
      else if ('kill' in step) process.kill(process.pid, step.kill)
      else if (step.close === 'stdout') this.output.close()
      else closeStream(process[step.close], step.close === 'stdin' ? 0 : 2)
    }
  }

  #ignore(what: string): void {
    if (what.startsWith('SIG')) process.on(what, () => this.connection.log({ signal: what }))
    else this.#ignored.add(what)
  }

  #read(): void {
    const decoder = new StringDecoder('utf8')
    let tail = ''
    process.stdin.on('data', (chunk: Buffer) => {
      const [first = '', ...lines] = decoder.write(chunk).split('\n')
      const complete = lines.length > 0 ? [tail + first, ...lines.slice(0, -1)] : []
      tail = lines.length > 0 ? (lines.at(-1) ?? '') : tail + first
      for (const line of complete) if (line.trim() !== '') this.#line(line)
    })
    process.stdin.on('end', () => {
      if (tail.trim() !== '') this.#line(tail)
      this.connection.log({ eof: true })
      this.#stdinEnded = true
      this.#end.resolve()
      void this.#exitAtEnd()
    })
    process.stdin.on('error', () => {})
  }

  async #exitAtEnd(): Promise<void> {
    if (!this.#stdinEnded || this.#ignored.has('eof')) return
    if (!this.#scriptEnded && this.#script.some(waitsForEnd)) return
    await this.output.flush()
    process.exit(0)
  }

  #line(line: string): void {
    const message = parsed(line)
    if (message === undefined) this.connection.log({ line })
    else this.connection.received.push(message)
    const waiting = this.#lineWaiters.filter(({ part }) => line.includes(part))
    this.#lineWaiters = this.#lineWaiters.filter((waiter) => !waiting.includes(waiter))
    for (const { take } of waiting) take()
    if (message === undefined) return
    const { id, method, params } = message
    if (typeof method === 'string') {
      this.connection.log({ received: message })
      const incoming: Incoming = { method, params, ...(id === undefined ? {} : { id }) }
      if (id !== undefined) this.connection.open.add(incoming)
      this.#receive(incoming)
    } else if (id !== undefined) this.connection.answered(id, message as unknown as Settlement)
  }

  #receive(message: Incoming): void {
    const { method } = message
    const index = this.#waiters.findIndex((waiter) => waiter.method === method)
    const steps = this.#handlers.get(method)
    const kept = this.#inbox.filter((other) => other.method === method).length
    if (index !== -1) this.#waiters.splice(index, 1)[0]?.take(message)
    else if (steps) void this.#handle(message, steps)
    else if ((this.#ahead.get(method) ?? 0) > kept) this.#inbox.push(message)
    else if (!(method === 'session/cancel' && this.#ignored.has('cancel'))) {
      this.#defaults.serve(message)
      this.#inbox = this.#inbox.filter((other) => other.id === undefined || this.connection.open.has(other))
      void this.output.flush()
    }
  }

  async #handle(message: Incoming, steps: readonly FakeStep[]): Promise<void> {
    await new FakeFlow(this, message).play(steps)
    await this.output.flush()
  }
}

interface Line {
  readonly id?: FakeId
  readonly method?: unknown
  readonly params?: unknown
}

const parsed = (line: string): Line | undefined => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // Not JSON: kept in the log as a line.
    return undefined
  }
}
