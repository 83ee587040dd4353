/** One session of the editor: checked parameters at first, and a session of the runtime from its first prompt on. */
import { setImmediate as nextRound } from 'node:timers/promises'
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { SubagentError } from '../contract/errors.ts'
import type { LogEntry, SessionEvent } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import type { SubagentRun } from '../contract/run.ts'
import { childViewOf } from './children.ts'
import type { ChildView } from './children.ts'
import { promptResponse } from './ending.ts'
import { rpcFault } from './errors.ts'
import { followUp } from './follow-up.ts'
import type { FaceHost } from './host.ts'
import type { PromptParams, Takes } from './params.ts'
import { Questions } from './questions.ts'
import { currentTurn, PromptTurn } from './turn.ts'
import type { TreeSource } from './subagents/tree.ts'
import { notificationsOf } from './updates.ts'

export interface FaceSessionOptions {
  /** The editor's id of it; the agent's own never leaves the runtime. */
  readonly id: string
  readonly request: Omit<SubagentStartRequest, 'prompt' | 'session'>
  readonly host: FaceHost
  readonly client: acp.AgentContext
  readonly takes: Takes
  /** As the editor sent them, untouched. */
  readonly clientCapabilities: JsonObject
  readonly log: Logger
}

export class FaceSession {
  readonly #options: FaceSessionOptions
  readonly #questions: Questions
  readonly #children: ChildView
  readonly #closed = new AbortController()
  #root: SessionId | undefined
  #turn: PromptTurn | undefined
  #following = false
  /** Late updates that came while a run was open. */
  #late: SessionEvent[] | undefined

  constructor(options: FaceSessionOptions) {
    this.#options = options
    const { id, client, clientCapabilities, host, log } = options
    this.#questions = new Questions({
      sessionId: id,
      log,
      awaits: (run, question) => host.runtime.awaits(run.sessionId, question),
      ask: (params, cancellationSignal) =>
        client.request('session/request_permission', params, {
          cancellationSignal,
          stopWaitingOnCancel: true,
        }),
    })
    const questions = this.#questions
    const source = childSource(host)
    this.#children = childViewOf({
      sessionId: id,
      client,
      clientCapabilities,
      takes: options.takes,
      source,
      questions,
      log,
    })
  }

  /** The prompt that is being answered. */
  get turn(): PromptTurn | undefined {
    return this.#turn
  }

  /** Permission requests that the editor hasn't answered. */
  get openQuestions(): number {
    return this.#questions.open
  }

  cancel(): void {
    this.#turn?.cancel()
  }

  /** Of what works below it. */
  get children(): Pick<ChildView, 'knows' | 'cancel'> {
    return this.#children
  }

  /** Throws the `RequestError` of every ending that isn't a response. */
  async prompt(params: PromptParams, signal: AbortSignal): Promise<acp.PromptResponse> {
    const { id, request } = this.#options
    if (this.#turn !== undefined) throw rpcFault(busy(id), request.provider)
    const turn = new PromptTurn()
    this.#turn = turn
    const cancel = (): void => turn.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const run = await currentTurn.run(turn, () => this.#start(params, turn.signal))
      this.#root = run.sessionId
      void this.#follow(run.sessionId)
      await turn.settled
      const result = await run.result
      if (turn.fault !== undefined) throw turn.fault
      return promptResponse(result)
    } catch (error) {
      if (turn.fault === undefined && SubagentError.is(error) && error.code === 'CANCELLED') {
        return { stopReason: 'cancelled' }
      }
      throw rpcFault(turn.fault ?? error, request.provider)
    } finally {
      signal.removeEventListener('abort', cancel)
      turn.delivered()
      this.#turn = undefined
    }
  }

  /** Ends the session with all that belongs to it; an open prompt is answered `cancelled` first. */
  async close(): Promise<void> {
    const turn = this.#turn
    turn?.cancel()
    await turn?.settled
    if (this.#root !== undefined) await this.#options.host.runtime.close(this.#root)
    this.#closed.abort()
    this.#children.close()
  }

  async #start({ prompt, controls, trace }: PromptParams, signal: AbortSignal): Promise<SubagentRun> {
    const { host, request } = this.#options
    const { runtime } = host
    const meta = trace === undefined ? {} : { meta: { ...trace } }
    const asked = await host.rootRequest({ ...followUp(request, this.#root), ...controls, ...meta, prompt })
    const options = { signal, answers: this.#questions.answered }
    const rows = runtime.providers.get(request.provider).provider.capabilities
    if (asked.keep !== undefined || rows.resume === 'none') return runtime.start(asked, options)
    try {
      return await runtime.start({ ...asked, keep: true }, options)
    } catch (error) {
      // The face's own wish, for later prompts; an agent whose handshake denies it runs one prompt.
      if (!refusesKeep(error)) throw error
      return runtime.start(asked, options)
    }
  }

  /** Brings the tree's events to the editor in the order of the log, each taken before the next (C09, C17). */
  async #follow(root: SessionId): Promise<void> {
    if (this.#following) return
    this.#following = true
    const { host, log } = this.#options
    try {
      for await (const { run, event } of host.runtime.watch({ root, signal: this.#closed.signal })) {
        await this.#deliver(run, event, root)
      }
    } catch (error) {
      log.debug({ error }, 'the editor takes no more updates')
    } finally {
      this.#following = false
      this.#turn?.delivered()
    }
  }

  async #deliver(run: SubagentRun, entry: LogEntry, root: SessionId): Promise<void> {
    const { event } = entry
    if (run.sessionId !== root) return this.#children.take(run, entry)
    if (event.type === 'run/settled') {
      await this.#children.own(run, entry)
      return this.#settled()
    }
    if (event.type === 'run/started') this.#late = []
    else if (event.type === 'session/late_update' && this.#late !== undefined) this.#late.push(event)
    else await this.#tell(event)
    await this.#children.own(run, entry)
  }

  /** The response is written within this round; what came late goes behind it. */
  async #settled(): Promise<void> {
    const late = this.#late ?? []
    this.#late = undefined
    this.#turn?.delivered()
    await nextRound()
    for (const event of late) await this.#tell(event)
  }

  async #tell(event: SessionEvent): Promise<void> {
    const { id, client, takes } = this.#options
    for (const { update: said, ...more } of notificationsOf(event, takes)) {
      const update = this.#root === undefined ? said : this.#children.shown(this.#root, said)
      if (update === undefined) continue
      await client.notify('session/update', { sessionId: id, update, ...more } as acp.SessionNotification)
    }
  }
}

const childSource = ({ runtime, store }: FaceHost): TreeSource => ({
  titleOf: (name) => runtime.providers.find(name)?.provider.title ?? name,
  stored: (id) => {
    const session = store.get(id)
    return session && { cwd: session.header.cwd, nativeId: session.registers.nativeId }
  },
  cancelSubagent: (sessionId, childId) => runtime.cancelSubagent(sessionId, childId),
})

const refusesKeep = (error: unknown): boolean => {
  if (!SubagentError.is(error) || error.code !== 'UNSUPPORTED_CAPABILITY') return false
  const { fields } = error.data as SubagentError<'UNSUPPORTED_CAPABILITY'>['data']
  // Another gateway's words may lack them.
  return fields?.length === 1 && fields[0] === 'keep'
}

const busy = (id: string): SubagentError =>
  new SubagentError('SESSION_BUSY', 'resolve', `A prompt is open on ${id}. Wait for it, or cancel it.`, {
    sessionId: id,
  })
