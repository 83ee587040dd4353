/** One chat of the editor: its choices, the sessions of its agents, and the prompt that is being answered. */
import { setImmediate as nextRound } from 'node:timers/promises'
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { SubagentError } from '../contract/errors.ts'
import type { LogEntry, SessionEvent } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import { present } from '../contract/present.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { StartOptions, SubagentRun } from '../contract/run.ts'
import { bring } from './bring.ts'
import type { Bearer } from './bring.ts'
import { childSource } from './child-source.ts'
import { childViewOf } from './children.ts'
import type { ChildView } from './children.ts'
import type { ChatChoices } from './choices.ts'
import { promptResponse } from './ending.ts'
import { EditorServices, offerOf } from './editor-services.ts'
import { rpcFault } from './errors.ts'
import { stretchesOf } from './history.ts'
import type { FaceHost } from './host.ts'
import type { Takes } from './params.ts'
import { Progress } from './progress.ts'
import { Questions } from './questions.ts'
import { continuing, nameContinuing, retell } from './retelling.ts'
import type { Retelling } from './retelling.ts'
import type { ChatStates } from './states.ts'
import { currentTurn, PromptTurn } from './turn.ts'
import { notificationsOf, textOf } from './updates.ts'
import type { Voice } from './voice.ts'

export interface FaceSessionOptions {
  /** The editor's id of it; the agents' own never leave the runtime. */
  readonly link: NonNullable<StartOptions['chat']>
  readonly choices: ChatChoices
  readonly states: ChatStates
  readonly voice: Voice
  readonly host: FaceHost
  readonly client: acp.AgentContext
  readonly takes: Takes
  /** As the editor sent them, untouched. */
  readonly clientCapabilities: JsonObject
  /** The chat's directories. */
  readonly roots: readonly string[]
  readonly log: Logger
  /** How far its sessions and their descendants went when it was opened: of that nothing is told again. */
  readonly told: Readonly<Record<SessionId, number>>
}

/** Begins a run for a prompt, and says before its first update what there is to say. */
export type Begin = (
  options: Pick<StartOptions, 'signal' | 'answers' | 'client' | 'chat'>,
) => Promise<{ readonly run: SubagentRun; readonly before: () => Promise<void> }>

export class FaceSession {
  readonly options: FaceSessionOptions
  readonly #questions: Questions
  readonly #children: ChildView
  readonly #services: EditorServices
  readonly #progress = new Progress()
  /** Those of the editor that an agent of this chat has made. */
  readonly #terminals = new Set<string>()
  readonly #closed = new AbortController()
  readonly #following = new Set<SessionId>()
  /** Late updates that came while a run of their session was open. */
  readonly #late = new Map<SessionId, SessionEvent[]>()
  /** Runs below the chat's own sessions that are open. */
  readonly #below = new Map<string, SubagentRun>()
  #turn: PromptTurn | undefined

  constructor(options: FaceSessionOptions) {
    this.options = options
    const { link, client, clientCapabilities, host, log } = options
    this.#questions = new Questions({
      sessionId: link.id,
      log,
      awaits: (run, question) => host.runtime.awaits(run.sessionId, question),
      ask: (params, cancellationSignal) =>
        client.request('session/request_permission', params, {
          cancellationSignal,
          stopWaitingOnCancel: true,
        }),
    })
    const questions = this.#questions
    this.#children = childViewOf({
      sessionId: link.id,
      client,
      clientCapabilities,
      takes: options.takes,
      source: childSource(host),
      questions,
      terminals: this.#terminals,
      log,
    })
    this.#services = this.#servicesOf(options)
  }

  get id(): string {
    return this.options.link.id
  }

  /** The prompt that is being answered. */
  get turn(): PromptTurn | undefined {
    return this.#turn
  }

  /** Permission requests that the editor hasn't answered. */
  get openQuestions(): number {
    return this.#questions.open
  }

  /** Descendants that work now. */
  get below(): readonly SubagentRun[] {
    return [...this.#below.values()]
  }

  cancel(): void {
    this.#turn?.cancel()
  }

  /** Of what works below it. */
  get children(): Pick<ChildView, 'knows' | 'cancel'> {
    return this.#children
  }

  /** Throws the `RequestError` of every ending that isn't a response. */
  async answer(begin: Begin, signal: AbortSignal): Promise<acp.PromptResponse> {
    const { link, choices } = this.options
    const provider = choices.agent
    if (this.#turn !== undefined) throw rpcFault(busy(this.id), provider)
    const turn = new PromptTurn()
    this.#turn = turn
    const cancel = (): void => turn.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const { offered: client } = this.#services
      const options = {
        ...present({ client }),
        signal: turn.signal,
        answers: this.#questions.answered,
        chat: link,
      }
      const { run, before } = await currentTurn.run(turn, () => begin(options))
      turn.run = run.id
      await before()
      const root = run.parentSessionId ?? run.sessionId
      this.follow(this.#following.has(root) ? root : run.sessionId)
      await turn.settled
      return this.#concluded(await run.result, turn)
    } catch (error) {
      if (turn.fault === undefined && SubagentError.is(error) && error.code === 'CANCELLED') {
        return { stopReason: 'cancelled' }
      }
      throw rpcFault(turn.fault ?? error, provider)
    } finally {
      signal.removeEventListener('abort', cancel)
      turn.delivered()
      this.#turn = undefined
    }
  }

  #servicesOf({ client, clientCapabilities, roots, link }: FaceSessionOptions): EditorServices {
    const children = this.#children
    return new EditorServices({
      offer: offerOf(clientCapabilities),
      roots,
      made: (terminalId) => void this.#terminals.add(terminalId),
      request: (method, params, cancellationSignal) =>
        client.request(method, params, { cancellationSignal, stopWaitingOnCancel: true }),
      notify: (method, params) => client.notify(method, params),
      told: (id, seq, signal) => this.#progress.told(id, seq, signal),
      // Before its session is published only the chat's own agent can be told.
      asker: ({ sessionId, childId, path, after }) =>
        children.asker(sessionId, childId) ??
        (after === 0 && path.length === 0 ? { sessionId: link.id, own: true } : undefined),
      waits: ({ sessionId, childId }, cancel) => children.waits(sessionId, childId, cancel),
    })
  }

  #concluded(result: SubagentResult, turn: PromptTurn): acp.PromptResponse {
    if (turn.fault !== undefined) throw turn.fault
    return promptResponse(result)
  }

  /** All that the chat holds, as it was shown; `fresh`: it was opened just now. */
  retell(fresh: boolean): Promise<void> {
    return retell({ ...this.#retelling, ...(fresh && { upTo: this.options.told }) })
  }

  /** What works below it by now; the call that this returns names it, and follows it from then on. */
  continuing(): () => Promise<void> {
    const found = continuing(this.#retelling)
    return async () => {
      try {
        for (const id of await nameContinuing(found, this.#retelling)) this.follow(id)
      } catch (error) {
        this.options.log.debug({ error }, 'what works below a chat could not be named')
      }
    }
  }

  get #retelling(): Retelling {
    const { host, link, takes, voice } = this.options
    const stretches = stretchesOf(host.store, link.id, Infinity, link.from)
    return { host, stretches, takes, children: this.#children, say: (update) => voice.notify({ update }) }
  }

  /** Ends the chat with all that belongs to it; an open prompt is answered `cancelled` first. */
  async close(sessions: Iterable<SessionId>): Promise<void> {
    const turn = this.#turn
    turn?.cancel()
    await turn?.settled
    await Promise.all([...sessions].map((id) => this.options.host.runtime.close(id)))
    this.#closed.abort()
    this.#progress.close()
    this.#children.close()
  }

  /** From now on the tree of this session is shown. */
  follow(root: SessionId): void {
    if (this.#following.has(root)) return
    this.#following.add(root)
    void this.#follow(root)
  }

  /** Brings the tree's events to the editor in the order of the log, each taken before the next (C09, C17). */
  async #follow(root: SessionId): Promise<void> {
    const { host, log, told: after, voice } = this.options
    const { signal } = this.#closed
    try {
      await this.#children.adopt(root)
      const stretches = host.runtime.watchStretches({ root, after, signal })
      const bearer: Bearer = {
        textOf: ({ run, event }) => (run.sessionId === root ? textOf(event.event) : undefined),
        pass: (said) => voice.pass(said),
        deliver: ({ run, event }) => this.#deliver(run, event, root),
        reached: ({ run, event }) => this.#progress.reached(run.sessionId, event.seq),
      }
      for await (const stretch of stretches) await bring(stretch, bearer)
    } catch (error) {
      log.debug({ error }, 'the editor takes no more updates')
    } finally {
      this.#following.delete(root)
      this.#progress.end()
      this.#turn?.delivered()
    }
  }

  async #deliver(run: SubagentRun, entry: LogEntry, root: SessionId): Promise<void> {
    const { event } = entry
    if (run.sessionId !== root) return this.#beneath(run, entry)
    if (event.type === 'run/settled') {
      await this.#children.own(run, entry)
      return this.#settled(run, root)
    }
    const late = this.#late.get(root)
    if (event.type === 'run/started') this.#late.set(root, [])
    else if (event.type === 'session/late_update' && late !== undefined) late.push(event)
    else await this.#tell(event, run)
    await this.#children.own(run, entry)
  }

  async #beneath(run: SubagentRun, entry: LogEntry): Promise<void> {
    if (entry.event.type === 'run/started') this.#below.set(run.id, run)
    await this.#children.take(run, entry)
    if (entry.event.type !== 'run/settled') return
    this.#below.delete(run.id)
    if (this.#turn?.run === run.id) this.#turn.delivered()
  }

  /** The response is written within this round; what came late goes behind it. */
  async #settled(run: SubagentRun, root: SessionId): Promise<void> {
    const late = this.#late.get(root) ?? []
    this.#late.delete(root)
    if (this.#turn?.run === run.id) this.#turn.delivered()
    await nextRound()
    for (const event of late) await this.#tell(event, run)
  }

  async #tell(event: SessionEvent, { provider, sessionId }: SubagentRun): Promise<void> {
    const { takes, states, voice } = this.options
    for (const { update: said, ...more } of notificationsOf(event, takes)) {
      if (!takes.echoes && (await states.merged(said, provider))) continue
      const update = this.#children.shown(sessionId, said)
      if (update !== undefined) await voice.notify({ update, ...more })
    }
  }
}

const busy = (id: string): SubagentError =>
  new SubagentError('SESSION_BUSY', 'resolve', `A prompt is open on ${id}. Wait for it, or cancel it.`, {
    sessionId: id,
  })
