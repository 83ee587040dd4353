/** Shows each delegation as one tool call of the chat, to an editor that knows no subagents. */
import { randomUUID } from 'node:crypto'
import type { ContentBlock, SessionUpdate } from '../../contract/content.ts'
import { isUpdate } from '../../contract/content.ts'
import type { PermissionRequested } from '../../contract/events.ts'
import type { PermissionId } from '../../contract/ids.ts'
import type { SubagentResult } from '../../contract/result.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Notification } from '../updates.ts'
import type { Child } from './child.ts'
import { answerOf, isSuccess } from './ending.ts'
import { advanceCall, NEW_CALL, shownCall } from './flat-call.ts'
import type { FlatCall } from './flat-call.ts'
import { noted, spoken } from './live-text.ts'
import type { ShowOptions } from './sessions.ts'
import type { Asker, ChildShow } from './show.ts'
import { readAnnouncement, withoutSubagents } from './wire.ts'

/** While an agent talks, its tool call is brought up to date so often. */
export const LIVE_MS = 250

/** The tool call of one delegation. */
interface Delegated {
  readonly child: Child
  readonly prompt: readonly ContentBlock[] | undefined
  /** Of the model that delegates, where it has one; else of our own making. */
  toolCallId: string
  linked: boolean
  call: FlatCall
  /** The editor knows it. */
  begun: boolean
  unsaid: boolean
}

export class FlatChildren implements ChildShow {
  readonly #options: ShowOptions
  /** By the child that the chat's own agent started. */
  readonly #open = new Map<Child, Delegated>()
  /** Tool calls of the chat's own agent: true when they are over. */
  readonly #calls = new Map<string, boolean>()
  #described = new WeakSet<Child>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: ShowOptions) {
    this.#options = options
  }

  async begins(child: Child, prompt: readonly ContentBlock[] | undefined): Promise<void> {
    if (child.parent !== undefined) {
      const { description } = child.facts
      return this.#note(child, description === undefined ? child.title : `${child.title}: ${description}`)
    }
    const open = this.#open.get(child)
    if (open !== undefined) return open.begun ? undefined : this.#begin(open)
    const { toolCallId } = child.facts
    // A call that is over has told of an earlier run.
    const linked = toolCallId !== undefined && this.#calls.get(toolCallId) !== true
    const id = linked ? toolCallId : ownId()
    const fresh = { child, prompt, toolCallId: id, linked, call: NEW_CALL, begun: false, unsaid: false }
    this.#open.set(child, fresh)
    await this.#begin(fresh)
  }

  async names(child: Child, working: boolean): Promise<void> {
    if (working) await this.begins(child, undefined)
  }

  async says(child: Child, { update }: Notification): Promise<void> {
    const delegated = this.#open.get(child.top)
    if (delegated === undefined) return
    this.#set(delegated, advanceCall(delegated.call, speakerOf(child), update))
  }

  async asks(_child: Child | undefined, run: SubagentRun, question: PermissionRequested): Promise<void> {
    this.#options.questions.ask(run, question)
  }

  asker(child: Child | undefined): Asker {
    const sessionId = this.#options.chatId
    if (child === undefined) return { sessionId, own: true }
    const delegated = this.#open.get(child.top)
    const known = delegated?.begun === true ? { toolCallId: delegated.toolCallId } : {}
    return { sessionId, own: false, ...known }
  }

  async waits(): Promise<void> {}

  answered(id: PermissionId): void {
    this.#options.questions.withdraw(id)
  }

  async goesOn(): Promise<void> {}

  /** Between two agents of a delegation, as a line in it; what the chat's own agent is told it says itself. */
  async tells(
    from: Child | undefined,
    _to: Child | undefined,
    content: readonly ContentBlock[],
  ): Promise<void> {
    const [first] = content
    if (from !== undefined && first?.type === 'text') await this.#note(from, `reports: ${first.text}`)
  }

  async ends(child: Child, result: SubagentResult): Promise<void> {
    const why = result.error?.message ?? (isSuccess(result) ? undefined : result.status)
    if (why !== undefined) await this.#note(child, `ended: ${why}`)
    else if (child.parent !== undefined) await this.#note(child, 'done')
    await this.#over(child, isSuccess(result), answerOf(result))
  }

  async described(child: Child, update: SessionUpdate): Promise<void> {
    const { state, stopReason, error } = readAnnouncement(update)
    if (state === undefined && this.#described.has(child)) return
    this.#described.add(child)
    if (state === 'unknown') return this.lost(child)
    if (state !== 'idle') return this.begins(child, undefined)
    if (error !== undefined) await this.#note(child, `ended: ${error}`)
    await this.#over(child, stopReason === undefined || stopReason === 'end_turn', [])
  }

  async lost(child: Child): Promise<void> {
    if (child.parent === undefined) await this.#over(child, false, [])
  }

  async heard(update: SessionUpdate): Promise<void> {
    if (!isUpdate(update, 'tool_call') && !isUpdate(update, 'tool_call_update')) return
    const { toolCallId, status } = update
    const known = this.#calls.has(toolCallId)
    this.#calls.set(toolCallId, status === 'completed' || status === 'failed')
    if (known) return
    for (const delegated of this.#open.values()) {
      if (delegated.toolCallId === toolCallId) await this.#begin(delegated)
    }
  }

  /** Nothing more is said of a turn that was cancelled; otherwise what works in the background goes on. */
  async turnOver(cancelled: boolean): Promise<void> {
    for (const [child, delegated] of this.#open) {
      await this.#begunAnyway(delegated)
      if (!cancelled) continue
      await this.#note(child, 'cancelled')
      await this.#over(child, false, [])
    }
  }

  rename(update: SessionUpdate): SessionUpdate | undefined {
    return withoutSubagents(update)
  }

  anew(): void {
    this.#calls.clear()
    this.#described = new WeakSet()
    for (const delegated of this.#open.values()) {
      delegated.begun = false
      delegated.linked = false
      delegated.toolCallId = ownId()
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#open.clear()
  }

  /** Once the editor knows the call of the model that delegates, or at once where there is none. */
  async #begin(delegated: Delegated): Promise<void> {
    const { child, toolCallId, linked, prompt } = delegated
    const { description } = child.facts
    const title =
      child.facts.label === undefined && description !== undefined
        ? `${child.title}: ${description}`
        : child.title
    if (linked) {
      if (!this.#calls.has(toolCallId)) return
      await this.#notify({ sessionUpdate: 'tool_call_update', toolCallId, title })
    } else {
      await this.#notify({
        sessionUpdate: 'tool_call',
        toolCallId,
        title,
        kind: 'think',
        status: 'in_progress',
        ...(prompt !== undefined && { rawInput: { prompt: [...prompt] } }),
      })
    }
    delegated.begun = true
  }

  /** The model's call was never shown. */
  async #begunAnyway(delegated: Delegated): Promise<void> {
    if (delegated.begun) return
    delegated.linked = false
    delegated.toolCallId = ownId()
    await this.#begin(delegated)
  }

  /** With the last of its agents the call ends; the model's own call has an end of its own. */
  async #over(child: Child, succeeded: boolean, answer: readonly ContentBlock[]): Promise<void> {
    const delegated = this.#open.get(child)
    if (delegated === undefined) return
    await this.#begunAnyway(delegated)
    this.#open.delete(child)
    const { call, linked, toolCallId } = delegated
    const [first] = answer
    const unsaid = first?.type === 'text' && !call.said.text.includes(first.text) ? first.text : ''
    const shown = shownCall({ ...call, said: spoken(call.said, '', unsaid) }, true, this.#has)
    const status = linked ? {} : { status: succeeded ? ('completed' as const) : ('failed' as const) }
    await this.#notify({ sessionUpdate: 'tool_call_update', toolCallId, ...status, ...shown })
  }

  async #note(child: Child, line: string): Promise<void> {
    const delegated = this.#open.get(child.top)
    if (delegated === undefined) return
    const { call } = delegated
    this.#set(delegated, { ...call, said: noted(call.said, speakerOf(child), line) })
  }

  #set(delegated: Delegated, call: FlatCall): void {
    if (call === delegated.call) return
    delegated.call = call
    delegated.unsaid = true
    this.#timer ??= setTimeout(() => void this.#tell(), LIVE_MS).unref()
  }

  /** The next time is counted from when the editor has taken all of it. */
  async #tell(): Promise<void> {
    try {
      for (const delegated of this.#open.values()) {
        const { unsaid, begun, toolCallId, call } = delegated
        if (!unsaid || !begun) continue
        delegated.unsaid = false
        await this.#notify({
          sessionUpdate: 'tool_call_update',
          toolCallId,
          ...shownCall(call, false, this.#has),
        })
      }
    } catch {
      // An editor that has gone is noticed by whoever reads for it.
    } finally {
      this.#timer = undefined
      if (this.#open.values().some(({ unsaid, begun }) => unsaid && begun)) {
        this.#timer = setTimeout(() => void this.#tell(), LIVE_MS).unref()
      }
    }
  }

  readonly #has = (terminalId: string): boolean => this.#options.terminals.has(terminalId)

  #notify(update: SessionUpdate): Promise<void> {
    return this.#options.notify(this.#options.chatId, { update })
  }
}

const ownId = (): string => `delegation-${randomUUID().slice(0, 8)}`

/** Its path below the delegation. */
const speakerOf = (child: Child): string => child.path.slice(1).join('/')
