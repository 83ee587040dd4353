/** The fake's side of the wire: what came in, what is still open, and who waits for it. */
import { appendFileSync } from 'node:fs'
import type { FakeOutput } from './fake-output.ts'
import type { FakeFailure, FakeId, FakeLogEntry } from './fake-step.ts'

export interface Incoming {
  readonly method: string
  readonly params: unknown
  /** Absent on a notification. */
  readonly id?: FakeId
  /** Called when somebody else has answered the request that a flow has in hand. */
  onSettled?: () => void
}

export type Settlement = { readonly result: unknown } | { readonly error: FakeFailure }

export class FakeConnection {
  readonly #output: FakeOutput
  readonly open: Set<Incoming> = new Set()
  readonly received: unknown[] = []
  lenient = false
  logFile: string | undefined
  /** The session that was made last. */
  sessionId = 's1'
  /** JSON of the last answer to a request of the fake. */
  lastAnswer: string | undefined
  readonly #asked = new Map<FakeId, (answer: Settlement) => void>()
  #nextId = 0

  constructor(output: FakeOutput) {
    this.#output = output
  }

  log(entry: FakeLogEntry): void {
    if (this.logFile !== undefined) appendFileSync(this.logFile, `${JSON.stringify(entry)}\n`)
  }

  send(message: object): void {
    this.#output.write(`${JSON.stringify(this.lenient ? message : { jsonrpc: '2.0', ...message })}\n`)
  }

  update(sessionId: string, update: unknown): void {
    this.send({ method: 'session/update', params: { sessionId, update } })
  }

  /** Ids begin at 0, as ours do, and are never to be mistaken for them. */
  ask(method: string, params: unknown, id: FakeId = this.#nextId++): Promise<Settlement> {
    this.send({ id, method, params })
    return new Promise((resolve) => {
      this.#asked.set(id, resolve)
    })
  }

  answered(id: FakeId, answer: Settlement): void {
    this.lastAnswer = JSON.stringify('error' in answer ? answer.error : answer.result)
    this.log({ answer, to: id })
    this.#asked.get(id)?.(answer)
    this.#asked.delete(id)
  }

  settle(request: Incoming, settlement: Settlement): void {
    const { id } = request
    if (id === undefined || !this.open.delete(request)) return
    if ('result' in settlement) this.#remember(settlement.result)
    this.send({ id, ...settlement })
    request.onSettled?.()
  }

  /** The newest open request of a method. */
  find(method: string): Incoming | undefined {
    return [...this.open].findLast((request) => request.method === method)
  }

  #remember(result: unknown): void {
    const sessionId = (result as { sessionId?: unknown } | null)?.sessionId
    if (typeof sessionId === 'string') this.sessionId = sessionId
  }
}
