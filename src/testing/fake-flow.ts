/** One thread of a fake's script: the script itself, or the steps of an `on`. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FakeAgent } from './fake-routing.ts'
import type { Incoming, Settlement } from './fake-connection.ts'
import { factsOf, startGrandchild, writeStderr } from './fake-process-steps.ts'
import { listens } from './fake-script.ts'
import type { FakeId, FakeStep } from './fake-step.ts'
import { filled, promptName, textOf } from './fake-template.ts'

const PERMISSION = {
  toolCall: { toolCallId: 't1', title: 'Write file', kind: 'edit', status: 'pending' },
  options: [
    { optionId: 'y', name: 'Yes', kind: 'allow_once' },
    { optionId: 'n', name: 'No', kind: 'reject_once' },
  ],
}

export class FakeFlow {
  readonly #agent: FakeAgent
  #hand: Incoming | undefined
  #skipping = false
  #cut = Promise.withResolvers<void>()
  readonly #names = new Map<string, string>()

  constructor(agent: FakeAgent, hand?: Incoming) {
    this.#agent = agent
    if (hand) this.#take(hand)
  }

  async play(steps: readonly FakeStep[]): Promise<void> {
    for (const step of steps) {
      if (this.#skipping && !listens(step)) continue
      await this.#step(step)
      await this.#agent.output.ready()
    }
  }

  /** The request in hand was settled by somebody else: the rest of its turn is skipped. */
  #take(message: Incoming): void {
    this.#skipping = false
    this.#cut = Promise.withResolvers()
    if (message.id === undefined) return
    this.#hand = message
    message.onSettled = () => {
      if (this.#hand !== message) return
      this.#skipping = true
      this.#cut.resolve()
    }
  }

  readonly #name = (name: string): string | undefined => {
    const { connection } = this.#agent
    if (name === 'sessionId') return this.#sessionId()
    if (name === 'pid') return String(process.pid)
    if (name === 'grandchild') return this.#agent.grandchild
    if (name === 'answer') return connection.lastAnswer
    return this.#names.get(name) ?? promptName(name, this.#hand?.params)
  }

  #sessionId(): string {
    const own = (this.#hand?.params as { sessionId?: unknown } | undefined)?.sessionId
    return typeof own === 'string' ? own : this.#agent.connection.sessionId
  }

  /** Everything written is out before the flow waits; a cut turn waits no longer. */
  async #wait<T>(what: Promise<T>): Promise<T | undefined> {
    await this.#agent.output.flush()
    return Promise.race([what, this.#cut.promise.then(() => undefined)])
  }

  async #step(step: FakeStep): Promise<void> {
    const { connection, output } = this.#agent
    if ('expect' in step) {
      await output.flush()
      this.#take(await this.#agent.next(step.expect))
    } else if ('expectLine' in step) await this.#listen(this.#agent.nextLine(step.expectLine))
    else if ('expectEnd' in step) await this.#listen(this.#agent.ended)
    else if ('reply' in step) this.#settle({ result: filled(step.reply, this.#name) }, step.to)
    else if ('fail' in step) this.#settle({ error: step.fail }, step.to)
    else if ('say' in step) this.#say(textOf(step.say, this.#name), step.sessionId)
    else if ('dump' in step) this.#say(JSON.stringify(factsOf(step.dump, connection.received)))
    else if ('update' in step)
      connection.update(step.sessionId ?? this.#sessionId(), filled(step.update, this.#name))
    else if ('notify' in step)
      connection.send({ method: step.notify, params: filled(step.params, this.#name) })
    else if ('write' in step)
      output.write(
        typeof step.write === 'object' && 'base64' in step.write
          ? Buffer.from(step.write.base64, 'base64')
          : textOf(step.write, this.#name),
      )
    else if ('stderr' in step) await writeStderr(textOf(step.stderr, this.#name))
    else if ('request' in step)
      await this.#ask(step.request, filled(step.params, this.#name), step.id, step.wait)
    else if ('permission' in step) await this.#askPermission(step)
    else if ('repeat' in step) await this.#repeat(step)
    else if ('inOneWrite' in step) await output.inPieces(Infinity, () => this.play(step.inOneWrite))
    else if ('inPieces' in step) await output.inPieces(step.inPieces, () => this.play(step.steps))
    else if ('sleep' in step) await this.#wait(delay(step.sleep))
    else if ('hang' in step) await this.#wait(new Promise<never>(() => {}))
    else if ('grandchild' in step) this.#agent.grew(await startGrandchild(step.grandchild))
    else await this.#agent.behave(step)
  }

  async #listen(what: Promise<unknown>): Promise<void> {
    await this.#agent.output.flush()
    await what
    this.#skipping = false
    this.#cut = Promise.withResolvers()
  }

  #settle(settlement: Settlement, to: string | undefined): void {
    const request = to === undefined ? this.#hand : this.#agent.connection.find(to)
    if (request === undefined) return
    // One's own answer cuts nothing: chunks behind the response are a fault worth playing.
    if (request === this.#hand) delete request.onSettled
    this.#agent.connection.settle(request, settlement)
  }

  #say(text: string, sessionId: string = this.#sessionId()): void {
    this.#agent.connection.update(sessionId, {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text },
    })
  }

  async #ask(
    method: string,
    params: unknown,
    id: FakeId | undefined,
    wait: boolean | undefined,
  ): Promise<Settlement | undefined> {
    const answer = this.#agent.connection.ask(method, params, id)
    return wait === false ? undefined : this.#wait(answer)
  }

  async #askPermission(step: Extract<FakeStep, { permission: unknown }>): Promise<void> {
    const sessionId = step.sessionId ?? this.#sessionId()
    const params = { sessionId, ...PERMISSION, ...(filled(step.permission, this.#name) as object) }
    const answer = await this.#ask('session/request_permission', params, step.id, step.wait)
    if (answer !== undefined) await this.play(step.chosen?.[choiceOf(answer)] ?? [])
  }

  async #repeat(step: Extract<FakeStep, { repeat: unknown }>): Promise<void> {
    const outer = this.#names.get('i')
    const rounds = step.repeat === 'forever' ? Infinity : step.repeat
    for (let round = 0; round < rounds && (!this.#skipping || listens(step)); round += 1) {
      this.#names.set('i', String(round))
      await this.play(step.steps)
    }
    if (outer === undefined) this.#names.delete('i')
    else this.#names.set('i', outer)
  }
}

const choiceOf = (answer: Settlement): string => {
  if ('error' in answer) return 'error'
  const { outcome } = answer.result as { outcome?: { outcome?: string; optionId?: string } }
  return outcome?.optionId ?? outcome?.outcome ?? 'error'
}
