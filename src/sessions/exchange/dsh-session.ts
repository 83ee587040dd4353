/** Translates one session of dsh 0.1 into one of ours (B9.4): turns become runs, messages updates. */
import type { SessionUpdate } from '../../contract/content.ts'
import type { ApprovalPolicy, LogEntry, SessionEvent } from '../../contract/events.ts'
import { runId, sessionId } from '../../contract/ids.ts'
import type { RunId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import { advanceOutput, NO_OUTPUT, outputText } from '../output.ts'
import { badFile } from './bad-file.ts'
import { readDescriptor } from './dsh-descriptor.ts'
import type { DshDescriptor } from './dsh-descriptor.ts'
import { settledBy } from './dsh-endings.ts'
import { KNOWN_EVENTS } from './dsh-events.ts'
import { planOf, readUser, streamedText, updatesOf, usageIn } from './dsh-messages.ts'
import type { Spent } from './dsh-messages.ts'
import { policyEvent } from './dsh-policy.ts'
import { readDshEvents, readDshHeader } from './dsh-records.ts'
import type { DshEvent, DshHeader } from './dsh-records.ts'
import { surfaceOf } from './dsh-surface.ts'
import type { Surface } from './dsh-surface.ts'
import type { WholeSession } from './format.ts'
import type { Row } from './read-session.ts'

/** The in-process agent that dsh itself talks to a person with. */
const ROOT_PROVIDER = 'spawn'

interface OpenTurn {
  readonly run: RunId
  readonly startedAt: number
  output: typeof NO_OUTPUT
  usage: Spent | undefined
  answered: boolean
  /** Of an answer that isn't a message yet. */
  streamed: string
}

class Translation {
  readonly entries: LogEntry[] = []
  inheritedEventCount = 0
  readonly #header: DshHeader
  readonly #events: readonly DshEvent[]
  readonly #surface: Surface
  readonly #descriptor: DshDescriptor | undefined
  #at = 0
  #turns = 0
  #open: OpenTurn | undefined
  #policy: ApprovalPolicy | undefined

  constructor(header: DshHeader, events: readonly DshEvent[], descriptor: DshDescriptor | undefined) {
    this.#header = header
    this.#events = events
    this.#surface = surfaceOf(events)
    this.#descriptor = descriptor
  }

  run(): void {
    const { seedLength = 0, createdAt } = this.#header
    this.#at = createdAt
    if (seedLength === 0) this.#begin()
    for (const event of this.#events) {
      this.#at = event.time
      if (seedLength > 0 && event.seq === seedLength) this.#begin()
      this.#event(event)
    }
    if (this.#events.length <= seedLength && seedLength > 0) this.#begin()
    // An answer that was cut off is kept, though dsh itself would forget it.
    if (this.#open !== undefined) this.#saveStreamed(this.#open)
  }

  /** Of the session itself, before its own events. */
  #begin(): void {
    this.inheritedEventCount = this.entries.length
    const closed = this.#descriptor?.closed
    if (closed === undefined) {
      this.#add({ type: 'session/native_id', nativeId: this.#header.id })
      // A root has no descriptor in dsh; what it was composed from is needed again all the same.
      const { agentPreset: preset } = this.#header
      if (this.#descriptor === undefined && preset !== undefined)
        this.#add({ type: 'subagent/descriptor', version: 2, provider: ROOT_PROVIDER, mode: 'kept', preset })
      return
    }
    this.#add({ type: 'notice', severity: 'warning', title: 'This session can be read, not resumed', detail: closed })
  }

  #add(event: SessionEvent, run?: RunId): void {
    const entry = { seq: this.entries.length + 1, at: this.#at, ...present({ runId: run }), event }
    this.entries.push(entry)
  }

  #say(update: SessionUpdate, turn: OpenTurn): void {
    turn.output = advanceOutput(turn.output, update)
    this.#add({ type: 'session/update', update }, turn.run)
  }

  #event(event: DshEvent): void {
    switch (event.type) {
      case 'turn/start':
        return this.#start(event)
      case 'turn/end':
        return this.#end(event)
      case 'user/message':
      case 'assistant/message':
      case 'tool/result':
        return this.#message(event)
      case 'assistant/chunk':
        if (this.#open !== undefined) this.#open.streamed += streamedText(event)
        return
      case 'step/start':
        if (this.#open !== undefined) this.#open.streamed = ''
        return
      case 'todo/write':
        if (this.#open !== undefined) this.#say(planOf(event), this.#open)
        return
      case 'subagent/descriptor':
        return this.#describe(event)
      default:
        return this.#other(event)
    }
  }

  #other(event: DshEvent): void {
    const mapped = policyEvent(event, this.#policy)
    if (mapped !== undefined) {
      if (mapped.type === 'approval/policy') this.#policy = mapped.policy
      this.#add(mapped)
    } else if (!KNOWN_EVENTS.has(event.type) && event.ignorable !== true) {
      throw badFile(
        event.place,
        `its event ${JSON.stringify(event.type)} is none of dsh 0.1's, and may not be left out`,
        'type',
      )
    }
  }

  /** The first of the session's own counts; one that was inherited is its parent's. */
  #describe(event: DshEvent): void {
    const { seedLength = 0, agentPreset } = this.#header
    if (event.seq < seedLength) this.#add(readDescriptor(event, undefined).event)
    else if (event === ownDescriptor(this.#header, this.#events))
      this.#add(readDescriptor(event, agentPreset).event)
  }

  #start(event: DshEvent): void {
    if (this.#open !== undefined) throw badFile(event.place, 'a turn begins while another is open', 'type')
    const { id, parentSession, seedLength = 0, delegationDepth } = this.#header
    const inherited = event.seq < seedLength
    this.#turns += 1
    const run = runId(`run_${inherited ? (parentSession ?? id) : id}_${this.#turns}`)
    this.#open = {
      run,
      startedAt: event.time,
      output: NO_OUTPUT,
      usage: undefined,
      answered: false,
      streamed: '',
    }
    const { provider, label } = this.#descriptor?.event ?? { provider: ROOT_PROVIDER }
    const prompt = this.#promptAfter(event.seq)
    this.#add(
      {
        type: 'run/started',
        provider: inherited ? ROOT_PROVIDER : provider,
        depth: inherited ? Math.max(delegationDepth - 1, 0) : delegationDepth,
        ...(!inherited && present({ parentSessionId: parentSession && sessionId(parentSession), label })),
        ...(prompt.length > 0 && { prompt }),
      },
      run,
    )
  }

  /** What the turn was asked: the words of others before its first answer. */
  #promptAfter(seq: number): ReturnType<typeof readUser>['content'] {
    const rest = this.#events.slice(seq + 1)
    const end = rest.findIndex(({ type }) => type === 'assistant/message' || type === 'turn/end')
    return rest
      .slice(0, end < 0 ? rest.length : end)
      .filter(({ type }) => type === 'user/message')
      .map(readUser)
      .flatMap(({ isPrompt, content }) => (isPrompt ? content : []))
  }

  #message(event: DshEvent): void {
    const turn = this.#open
    if (turn === undefined) throw badFile(event.place, 'a message stands outside of every turn', 'type')
    if (event.type === 'assistant/message') {
      const spent = usageIn(event)
      if (spent !== undefined) turn.usage = sum(turn.usage, spent)
      turn.streamed = ''
    }
    const replacement = this.#surface.inPlaceOf(event.seq)
    const said = updatesOf(event, turn.answered) ?? []
    if (replacement !== undefined)
      for (const update of updatesOf(replacement, turn.answered) ?? []) this.#say(update, turn)
    // What the model no longer sees stays for people to read.
    if (this.#surface.isHidden(event.seq))
      for (const update of said) this.#add({ type: 'session/late_update', update })
    else if (event.surfaceOp === undefined || event.surfaceOp === 'append')
      for (const update of said) this.#say(update, turn)
    if (event.type === 'assistant/message') turn.answered = true
  }

  #saveStreamed(turn: OpenTurn): void {
    if (turn.streamed.trim() === '') return
    const content = { type: 'text', text: turn.streamed } as const
    this.#say({ sessionUpdate: 'agent_message_chunk', content }, turn)
  }

  #end(event: DshEvent): void {
    const turn = this.#open
    if (turn === undefined) throw badFile(event.place, 'a turn ends that never began', 'type')
    this.#saveStreamed(turn)
    const { run, usage, startedAt, output } = turn
    const facts = { text: outputText(output), usage, durationMs: event.time - startedAt }
    this.#add(settledBy(event, facts), run)
    this.#open = undefined
  }
}

const sum = (a: Spent | undefined, b: Spent): Spent => ({
  inputTokens: (a?.inputTokens ?? 0) + b.inputTokens,
  outputTokens: (a?.outputTokens ?? 0) + b.outputTokens,
})

const ownDescriptor = (
  { seedLength = 0 }: DshHeader,
  events: readonly DshEvent[],
): DshEvent | undefined => events.find(({ type, seq }) => type === 'subagent/descriptor' && seq >= seedLength)

/** `cwd` stands in for a session that was made without a directory. Its root is found later, among its parents. */
export const readDshSession = (first: Row, rows: readonly Row[], cwd: string): WholeSession => {
  const header = readDshHeader(first)
  const events = readDshEvents(rows)
  const own = ownDescriptor(header, events)
  const descriptor = own && readDescriptor(own, header.agentPreset)
  const translation = new Translation(header, events, descriptor)
  translation.run()
  const { provider, label } = descriptor?.event ?? { provider: ROOT_PROVIDER }
  const id = sessionId(header.id)
  const parentId = header.parentSession === undefined ? undefined : sessionId(header.parentSession)
  return {
    header: {
      id,
      rootId: parentId ?? id,
      ...present({ parentId }),
      provider,
      depth: header.delegationDepth,
      cwd: header.cwd ?? cwd,
      ...present({ label }),
      createdAt: header.createdAt,
    },
    inheritedEventCount: translation.inheritedEventCount,
    entries: translation.entries,
  }
}
