/** Live lines on stderr and the answer's text on stdout, kept apart on the terminal that they share. */
import type { Style } from './abilities.ts'
import { columnAfter } from './fit.ts'
import { harmless, harmlessChunk } from './sanitize.ts'
import { renderStatus } from './status-line.ts'
import type { LiveLine } from './status-line.ts'
import { inTreeOrder } from './tree-order.ts'

export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(chunk: string): unknown
}

export interface Timers {
  setInterval(callback: () => void, ms: number): NodeJS.Timeout
  clearInterval(timer: NodeJS.Timeout): void
}

export interface LiveViewOptions {
  /** Where the live lines go: stderr. */
  readonly stream: Output
  /** Where the answer goes: stdout. Untouched unless it is a terminal, and then the same one. */
  readonly answers: Output
  readonly now: () => number
  readonly timers: Timers
  /** Without it nothing is drawn, and no cursor is moved. */
  readonly enabled: boolean
  readonly style: Style
}

const REDRAW_MS = 100
const MOST_LINES = 10
const ESC = '\u001B'
/** Without wrapping, a width that this terminal sees otherwise costs a character and never a line. */
const [NO_WRAP, WRAP] = [`${ESC}[?7l`, `${ESC}[?7h`]
const [SAVE, RESTORE, DOWN, CLEAR_BELOW] = [`${ESC}7`, `${ESC}8`, `${ESC}D`, `${ESC}[J`]
const up = (rows: number): string => (rows > 0 ? `${ESC}[${rows}A` : '')

export class LiveView {
  readonly #o: LiveViewOptions
  readonly #lines = new Map<string, LiveLine>()
  /** What of ours is on the screen; `saved` = the cursor's place in an unfinished line of text is saved. */
  #drawn = { rows: 0, saved: false, columns: 0 }
  #frame = 0
  #timer: NodeJS.Timeout | undefined
  /** Of the end of the text, from the start of its line. */
  #column = 0
  #questions = 0
  /** What waits until no question is on the screen. */
  readonly #held: (() => void)[] = []
  #carry = ''

  constructor(options: LiveViewOptions) {
    this.#o = options
  }

  /** Shown with the next redraw; undefined = the run has settled. */
  update(runId: string, line: LiveLine | undefined): void {
    if (!this.#o.enabled) return
    if (line === undefined) this.#lines.delete(runId)
    else this.#lines.set(runId, line)
    if (this.#lines.size > 0) {
      this.#timer ??= this.#start()
      return
    }
    this.#stop()
    this.#clear()
  }

  #start(): NodeJS.Timeout {
    const timer = this.#o.timers.setInterval(() => this.#draw(), REDRAW_MS)
    timer.unref()
    return timer
  }

  #stop(): void {
    if (this.#timer !== undefined) this.#o.timers.clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** A piece of the answer: byte for byte into a pipe, without escape sequences onto a terminal. */
  text(chunk: string): void {
    const { answers } = this.#o
    if (answers.isTTY !== true) {
      answers.write(chunk)
      return
    }
    const { text, carry } = harmlessChunk(this.#carry, chunk)
    this.#carry = carry
    this.#whenFree(() => this.#write(text))
  }

  #write(text: string): void {
    if (text === '') return
    this.#clear()
    this.#o.answers.write(text)
    this.#column = columnAfter(this.#column, text)
  }

  /** A line of ours on stderr, above the live lines and below the text so far. */
  note(line: string): void {
    this.#whenFree(() => {
      this.#clear()
      this.#endLine()
      this.#o.stream.write(`${harmless(line)}\n`)
    })
  }

  #whenFree(write: () => void): void {
    if (this.#questions > 0) this.#held.push(write)
    else write()
  }

  /** The screen belongs to the question until it is answered: no live lines, no text. */
  async question<T>(ask: () => Promise<T>): Promise<T> {
    this.#questions += 1
    this.#clear()
    this.#endLine()
    try {
      return await ask()
    } finally {
      this.#questions -= 1
      if (this.#questions === 0) for (const write of this.#held.splice(0)) write()
    }
  }

  /** Leaves the text, the cursor below it, and nothing else. */
  close(): void {
    this.#stop()
    this.#lines.clear()
    this.#clear()
    for (const write of this.#held.splice(0)) write()
    this.#write(harmless(this.#carry))
    this.#carry = ''
    this.#endLine()
  }

  #endLine(): void {
    if (this.#column > 0 && this.#o.stream.isTTY === true) this.#o.stream.write('\n')
    this.#column = 0
  }

  #draw(): void {
    const { stream, now, style } = this.#o
    const columns = stream.columns || 80
    // At the edge the terminal may or may not have gone to the next line: the text can't be gone back to.
    const atEdge = this.#column > 0 && this.#column % columns === 0
    if (this.#lines.size === 0 || this.#questions > 0 || atEdge) return
    const most = Math.max(1, Math.min(MOST_LINES, (stream.rows || 24) - 2))
    const runs = inTreeOrder(this.#lines, style)
    const lines = renderStatus(runs.slice(0, most), columns, this.#frame, now(), style)
    if (runs.length > most) lines.push(`  +${runs.length - most}`.slice(0, columns - 1))
    this.#frame += 1
    const erase = this.#erasure()
    const saved = this.#column > 0
    const rows = lines.length
    // Below an unfinished line: the rows are made first, as a scroll would move the saved place.
    const place = saved ? `${DOWN.repeat(rows)}${up(rows)}${SAVE}\r\n` : ''
    this.#drawn = { rows, saved, columns }
    stream.write(`${erase}${place}${NO_WRAP}${lines.join('\r\n')}${WRAP}`)
  }

  #clear(): void {
    const erase = this.#erasure()
    this.#drawn = { rows: 0, saved: false, columns: 0 }
    if (erase !== '') this.#o.stream.write(erase)
  }

  /** Never more rows than were drawn: a terminal that folds lines on a resize keeps a piece, text is never lost. */
  #erasure(): string {
    const { rows, saved, columns } = this.#drawn
    if (rows === 0) return ''
    if (saved && columns === (this.#o.stream.columns || 80)) return `${RESTORE}${CLEAR_BELOW}`
    // After a resize the saved place is another one: the text goes on in a line of its own.
    if (saved) this.#column = 0
    return `\r${up(rows - 1)}${CLEAR_BELOW}`
  }
}
