/** What went over the wire in one check, as a report may show it: the last lines, cut, without secrets. */

const MOST_LINES = 200
const LONGEST_LINE = 2000

export class Transcript {
  readonly #mask: (text: string) => string
  readonly #lines: string[] = []
  readonly #begun = performance.now()
  #dropped = 0

  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  /** `→` is what the client wrote, `←` what the agent wrote. */
  add(direction: '→' | '←', line: string): void {
    const cut = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
    const seconds = ((performance.now() - this.#begun) / 1000).toFixed(3)
    this.#lines.push(`${seconds} ${direction} ${cut}`)
    if (this.#lines.length > MOST_LINES) {
      this.#lines.shift()
      this.#dropped += 1
    }
  }

  lines(): readonly string[] {
    const lines = this.#lines.map(this.#mask)
    return this.#dropped === 0 ? lines : [`(${this.#dropped} earlier lines are left out)`, ...lines]
  }
}
