/** Turns the events of a dsh log into ours, in one pass: turns become runs, messages updates. */
import type { SessionUpdate } from '../../contract/content.ts'
import type { ApprovalPolicy, LogEntry, SessionEvent } from '../../contract/events.ts'
import { sessionId } from '../../contract/ids.ts'
import type { RunId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import { badFile } from './bad-file.ts'
import { DSH_DESCRIPTOR, readDescriptor } from './dsh-descriptor.ts'
import type { DshDescriptor } from './dsh-descriptor.ts'
import { settledBy } from './dsh-endings.ts'
import { KNOWN_EVENTS } from './dsh-events.ts'
import { planOf, updatesOf, usageIn } from './dsh-messages.ts'
import { policyEvent } from './dsh-policy.ts'
import type { DshEvent, DshHeader } from './dsh-records.ts'
import { surfaceOf } from './dsh-surface.ts'
import type { Surface } from './dsh-surface.ts'
import { OpenTurn, promptAfter } from './dsh-turn.ts'

/** The agent that a person talks to in dsh is one in its process. */
export const ROOT_PROVIDER = 'spawn'

export interface DshLog {
  readonly header: DshHeader
  readonly events: readonly DshEvent[]
  /** How it was created, if it is a child, and the event that says so. */
  readonly descriptor?: DshDescriptor
  readonly described?: DshEvent
}

export interface Translated {
  readonly entries: readonly LogEntry[]
  readonly inheritedEventCount: number
}

class Translation {
  readonly entries: LogEntry[] = []
  readonly #log: DshLog
  readonly #surface: Surface
  #at: number
  #turns = 0
  #open: OpenTurn | undefined
  #policy: ApprovalPolicy | undefined

  constructor(log: DshLog) {
    this.#log = log
    this.#surface = surfaceOf(log.events)
    this.#at = log.header.createdAt
  }

  /** Of the session itself, before its own events. */
  begin(): void {
    const { header, descriptor } = this.#log
    const { id, agentPreset: preset } = header
    const title = 'This session can be read, but not be resumed'
    if (descriptor?.closed !== undefined) {
      this.#add({ type: 'notice', severity: 'warning', title, detail: descriptor.closed })
      return
    }
    this.#add({ type: 'session/native_id', nativeId: id })
    // dsh describes no root; the preset that it was composed from is needed again all the same.
    if (descriptor !== undefined || preset === undefined) return
    this.#add({ ...DSH_DESCRIPTOR, provider: ROOT_PROVIDER, mode: 'kept', preset })
  }

  take(event: DshEvent): void {
    this.#at = event.time
    switch (event.type) {
      case 'turn/start':
        return this.#start(event)
      case 'turn/end':
        return this.#end(event)
      case 'user/message':
      case 'assistant/message':
      case 'tool/result':
        return this.#message(event, this.#inTurn(event))
      case 'assistant/chunk':
        return this.#open?.stream(event)
      case 'step/start':
        // What an attempt that failed had streamed is tried anew.
        this.#open?.takeStreamed()
        return
      case 'todo/write':
        return this.#say(planOf(event))
      case 'subagent/descriptor':
        return this.#describe(event)
      default:
        return this.#other(event)
    }
  }

  /** An answer that was cut off is kept, though dsh itself would forget it. */
  saveStreamed(): void {
    const text = this.#open?.takeStreamed() ?? ''
    if (text === '') return
    this.#say({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  }

  #add(event: SessionEvent, run?: RunId): void {
    this.entries.push({ seq: this.entries.length + 1, at: this.#at, ...present({ runId: run }), event })
  }

  /** What stands outside of every turn is part of no conversation. */
  #say(update: SessionUpdate): void {
    this.#open?.hear(update)
    if (this.#open === undefined) this.#add({ type: 'session/late_update', update })
    else this.#add({ type: 'session/update', update }, this.#open.run)
  }

  #inTurn(event: DshEvent): OpenTurn {
    if (this.#open !== undefined) return this.#open
    throw badFile(event.place, `${JSON.stringify(event.type)} stands outside of every turn`, 'type')
  }

  #start(event: DshEvent): void {
    if (this.#open !== undefined) throw badFile(event.place, 'a turn begins while another is open', 'type')
    const { header, events, descriptor } = this.#log
    const { id, parentSession, seedLength = 0, delegationDepth } = header
    this.#turns += 1
    const prompt = promptAfter(events, event.seq)
    const asked = prompt.length > 0 && { prompt }
    const inherited = event.seq < seedLength
    this.#open = new OpenTurn(inherited ? (parentSession ?? id) : id, this.#turns, event.time)
    const { provider, label } = descriptor?.event ?? { provider: ROOT_PROVIDER }
    const parentSessionId = parentSession === undefined ? undefined : sessionId(parentSession)
    const started = inherited
      ? { provider: ROOT_PROVIDER, depth: Math.max(delegationDepth - 1, 0) }
      : { provider, depth: delegationDepth, ...present({ parentSessionId, label }) }
    this.#add({ type: 'run/started', ...started, ...asked }, this.#open.run)
  }

  #end(event: DshEvent): void {
    const turn = this.#inTurn(event)
    this.saveStreamed()
    this.#add(settledBy(event, turn.factsAt(event.time)), turn.run)
    this.#open = undefined
  }

  #message(event: DshEvent, turn: OpenTurn): void {
    if (event.type === 'assistant/message') {
      turn.spend(usageIn(event))
      turn.takeStreamed()
    }
    const replacement = this.#surface.inPlaceOf(event.seq)
    if (replacement !== undefined)
      for (const update of updatesOf(replacement, turn.answered)) this.#say(update)
    // A replacement stands where the first stood that it hides.
    if (event.surfaceOp === undefined || event.surfaceOp === 'append') this.#place(event, turn)
    if (event.type === 'assistant/message') turn.answered = true
  }

  /** What the model no longer sees stays for people to read. */
  #place(event: DshEvent, turn: OpenTurn): void {
    const hidden = this.#surface.isHidden(event.seq)
    for (const update of updatesOf(event, turn.answered)) {
      if (hidden) this.#add({ type: 'session/late_update', update })
      else this.#say(update)
    }
  }

  /** The first of the session's own counts; one that was inherited is its parent's. */
  #describe(event: DshEvent): void {
    const { header, descriptor, described } = this.#log
    if (event === described && descriptor !== undefined) this.#add(descriptor.event)
    else if (event.seq < (header.seedLength ?? 0)) this.#add(readDescriptor(event, undefined).event)
  }

  #other(event: DshEvent): void {
    const mapped = policyEvent(event, this.#policy)
    if (mapped !== undefined) {
      if (mapped.type === 'approval/policy') this.#policy = mapped.policy
      this.#add(mapped)
    } else if (!KNOWN_EVENTS.has(event.type) && event.ignorable !== true) {
      const what = `its event ${JSON.stringify(event.type)} is none of dsh 0.1's, and can't be left out`
      throw badFile(event.place, what, 'type')
    }
  }
}

export const translate = (log: DshLog): Translated => {
  const { seedLength = 0 } = log.header
  const translation = new Translation(log)
  for (const event of log.events.slice(0, seedLength)) translation.take(event)
  const inheritedEventCount = translation.entries.length
  translation.begin()
  for (const event of log.events.slice(seedLength)) translation.take(event)
  translation.saveStreamed()
  return { entries: translation.entries, inheritedEventCount }
}
