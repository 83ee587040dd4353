/** The runs of one task as a tree for the person at the terminal: who delegated to whom, and how each ended. */
import type { LogEntry } from '../../contract/events.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Style } from './abilities.ts'
import { fit, widthOf } from './fit.ts'
import { plain } from './sanitize.ts'
import { elapsed } from './status-line.ts'
import { inTreeOrder } from './tree-order.ts'

interface Entry {
  readonly name: string
  readonly under?: string
  readonly status: string
  readonly durationMs: number | undefined
}

type RunFacts = Pick<SubagentRun, 'id' | 'sessionId' | 'parentSessionId' | 'provider' | 'label'>

/** A longer tree says nothing more at a glance. */
const MOST_LINES = 30

export class RunTree {
  readonly #runs = new Map<string, Entry>()
  /** The newest run of each session. */
  readonly #newest = new Map<string, string>()
  readonly #titleOf: (provider: string) => string

  constructor(titleOf: (provider: string) => string) {
    this.#titleOf = titleOf
  }

  /** What a run is called: its provider, and what it was given to do. */
  nameOf({ provider, label }: Pick<RunFacts, 'provider' | 'label'>): string {
    const title = this.#titleOf(provider)
    return label === undefined ? title : `${title}: ${label}`
  }

  /** The run that delegated to this one. */
  above({ parentSessionId }: RunFacts): string | undefined {
    return parentSessionId === undefined ? undefined : this.#newest.get(parentSessionId)
  }

  take(run: RunFacts, { event }: Pick<LogEntry, 'event'>): void {
    if (event.type === 'run/started') {
      const under = this.above(run)
      this.#newest.set(run.sessionId, run.id)
      this.#runs.set(run.id, {
        name: this.nameOf(run),
        status: 'running',
        durationMs: undefined,
        ...(under !== undefined && { under }),
      })
    }
    const known = this.#runs.get(run.id)
    if (event.type === 'run/settled' && known !== undefined) {
      const { status, durationMs } = event
      this.#runs.set(run.id, { ...known, status, durationMs })
    }
  }

  /** None where nobody delegated. Each line is narrower than the terminal. */
  lines(columns: number, style: Pick<Style, 'unicode'>): readonly string[] {
    if (this.#runs.size < 2) return []
    const mark = style.unicode ? '…' : '~'
    const rows = inTreeOrder(this.#runs, style).map(({ run, branch }) => ({
      name: `${branch}${plain(run.name)}`,
      status: run.status,
      time: run.durationMs === undefined ? '' : elapsed(run.durationMs),
    }))
    const shown = rows.slice(0, MOST_LINES)
    const widest = (text: (row: (typeof rows)[number]) => string): number =>
      Math.max(...shown.map((row) => widthOf(text(row))))
    const statusWidth = widest(({ status }) => status)
    const room = Math.max(8, columns - 5 - statusWidth - widest(({ time }) => time))
    const width = Math.min(
      room,
      widest(({ name }) => name),
    )
    const lines = shown.map(({ name, status, time }) => {
      const kept = fit(name, width, mark)
      return `${kept}${' '.repeat(Math.max(0, width - widthOf(kept)))}  ${status.padEnd(statusWidth)}  ${time}`.trimEnd()
    })
    return rows.length > shown.length ? [...lines, `+${rows.length - shown.length}`] : lines
  }
}
