/** What a terminal shows after the bytes that were written to it. */
import xterm from '@xterm/headless'

export interface Screen {
  write(bytes: string): void
  resize(columns: number, rows: number): Promise<void>
  /** Lines from the top of the scrollback, without trailing blanks. */
  lines(): Promise<readonly string[]>
}

export const screenOf = (columns: number, rows = 24): Screen => {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true })
  const drained = (): Promise<void> => new Promise((resolve) => terminal.write('', resolve))
  return {
    write: (bytes) => terminal.write(bytes),
    async resize(nextColumns, nextRows) {
      await drained()
      terminal.resize(nextColumns, nextRows)
    },
    async lines() {
      await drained()
      const { active } = terminal.buffer
      const lines = Array.from(
        { length: active.length },
        (_, index) => active.getLine(index)?.translateToString(true) ?? '',
      )
      while (lines.at(-1) === '') lines.pop()
      return lines
    },
  }
}
