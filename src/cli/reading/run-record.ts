/** One run read back from its events: what was asked, what came out, which files were changed. */
import { isUpdate } from '../../contract/content.ts'
import type { ToolCallUpdate } from '../../contract/content.ts'
import type { ErrorJson } from '../../contract/errors.ts'
import type { LogEntry, RunSettled } from '../../contract/events.ts'
import type { RunId } from '../../contract/ids.ts'
import type { JsonValue } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type { Denial, EndingCategory, RunStatus, Usage } from '../../contract/result.ts'
import { advanceOutput, NO_OUTPUT, outputText } from '../../gateway-store.ts'
import { promptText } from './summary.ts'

export interface RunRecord {
  readonly runId: RunId
  readonly startedAt: number
  readonly settledAt?: number
  /** Absent while it is open. */
  readonly status?: RunStatus
  readonly category?: EndingCategory
  readonly prompt: string
  /** So far, of an open run. */
  readonly text: string
  readonly structured?: JsonValue
  readonly denied: readonly Denial[]
  readonly usage?: Usage
  readonly durationMs?: number
  readonly error?: ErrorJson
  /** Files that tool calls changed, each with the last kind of change. */
  readonly files: readonly { readonly path: string; readonly kind: string }[]
}

interface Call {
  readonly kind?: string
  readonly paths: readonly string[]
}

const CHANGES: ReadonlySet<string> = new Set(['edit', 'delete', 'move'])

/** Entries of one run, taken in order. */
export class RunRecorder {
  readonly #runId: RunId
  #startedAt = 0
  #prompt = ''
  #output = NO_OUTPUT
  #settled: { readonly at: number; readonly event: RunSettled } | undefined
  readonly #calls = new Map<string, Call>()
  readonly #files = new Map<string, string>()

  constructor(runId: RunId) {
    this.#runId = runId
  }

  take({ at, event, runId }: LogEntry): void {
    if (runId !== this.#runId) return
    switch (event.type) {
      case 'run/started':
        this.#startedAt = at
        this.#prompt = promptText(event)
        return
      case 'run/settled':
        this.#settled = { at, event }
        return
      case 'session/update':
        this.#output = advanceOutput(this.#output, event.update)
        if (isUpdate(event.update, 'tool_call') || isUpdate(event.update, 'tool_call_update'))
          this.#call(event.update)
        return
      default:
    }
  }

  record(): RunRecord {
    const { type: _, ...ending } = this.#settled?.event ?? { type: undefined, denied: [] }
    return {
      runId: this.#runId,
      startedAt: this.#startedAt,
      ...present({ settledAt: this.#settled?.at }),
      prompt: this.#prompt,
      text: outputText(this.#output),
      ...ending,
      files: [...this.#files].map(([path, kind]) => ({ path, kind })),
    }
  }

  #call(update: ToolCallUpdate): void {
    const { toolCallId, status } = update
    const known = this.#calls.get(toolCallId)
    const named = [...diffsOf(update), ...(update.locations ?? []).map(({ path }) => path)]
    const kind = update.kind ?? known?.kind ?? (diffsOf(update).length > 0 ? 'edit' : undefined)
    const call: Call = {
      ...(kind !== undefined && { kind }),
      paths: [...new Set([...(known?.paths ?? []), ...named])],
    }
    this.#calls.set(toolCallId, call)
    if (status !== 'completed' && status !== 'failed') return
    this.#calls.delete(toolCallId)
    if (status === 'failed' || call.kind === undefined || !CHANGES.has(call.kind)) return
    for (const path of call.paths) this.#files.set(path, call.kind)
  }
}

const diffsOf = ({ content }: ToolCallUpdate): readonly string[] =>
  (content ?? []).flatMap((part) => (part.type === 'diff' ? [part.path] : []))
