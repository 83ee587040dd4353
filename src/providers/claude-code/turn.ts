/** One turn as Claude Code's lines tell it: what was shown, its results, and what still works in the background. */
import { isRecord } from '../../contract/json.ts'
import type { Turn } from '../../contract/provider.ts'
import { readResult } from './protocol.ts'
import type { ResultLine } from './protocol.ts'
import { NOTHING_SHOWN, translate } from './translate.ts'
import type { Shown } from './translate.ts'

type Json = Readonly<Record<string, unknown>>

/** What brings a further result when it ends; a shell or a monitor in the background may never end. */
const REPORTING: ReadonlySet<string> = new Set(['local_agent', 'local_workflow'])

export class ClaudeTurn {
  readonly turn: Turn
  readonly results: ResultLine[] = []
  readonly ended: Promise<void>
  readonly #end: () => void
  #over = false
  /** Something may have been started: a tool, which its hook tells of, or a command of the prompt's own. */
  acted = false
  errorKind: string | undefined
  /** When a limit that was reached begins anew, in milliseconds of the clock. */
  resetsAt: number | undefined
  #shown: Shown = NOTHING_SHOWN
  #background: ReadonlyMap<string, string> = new Map()

  constructor(turn: Turn) {
    this.turn = turn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#end = () => {
      this.#over = true
      resolve()
    }
  }

  get over(): boolean {
    return this.#over
  }

  /** What runs in the background, by Claude Code's own ids. */
  get background(): readonly string[] {
    return [...this.#background.keys()]
  }

  /** False when no more should be read until the turn's readers have caught up. */
  take(line: Json, bytes: number): boolean {
    const result = readResult(line)
    if (result !== undefined) {
      this.results.push(result)
      this.#settle()
      return true
    }
    this.#note(line)
    const { events, shown } = translate(line, this.#shown)
    this.#shown = shown
    let room = true
    for (const event of events) if (!this.turn.emit(event, bytes)) room = false
    return room
  }

  /** After an interrupt nothing in the background will report any more. */
  interrupted(): void {
    if (this.results.length > 0) this.#end()
  }

  #settle(): void {
    const last = this.results.at(-1)
    if (last === undefined) return
    const reports = [...this.#background.values()].some((type) => REPORTING.has(type))
    if (this.turn.signal.aborted || (last.queued === 0 && !reports)) this.#end()
  }

  #note(line: Json): void {
    const { type, subtype, error, tasks, rate_limit_info: limit } = line
    if (type === 'assistant') {
      // Any answer of a model after it means that the failure was passed.
      if (line['parent_tool_use_id'] === null || line['parent_tool_use_id'] === undefined)
        this.errorKind = typeof error === 'string' ? error : undefined
    } else if (type === 'rate_limit_event' && isRecord(limit)) {
      const { status, resetsAt } = limit
      this.resetsAt = status === 'rejected' && typeof resetsAt === 'number' ? resetsAt * 1000 : undefined
    } else if (subtype === 'background_tasks_changed' && Array.isArray(tasks)) {
      const entries = tasks.filter(isRecord).map((task) => [task['task_id'], task['task_type']] as const)
      this.#background = new Map(entries.map(([id, kind]) => [String(id), String(kind)]))
    }
  }
}
