/** Breaks a line of text into lines that fit a width, between words where that is possible. Pure. */
import { fit, widthOf } from '../terminal/fit.ts'

export const wrap = (text: string, columns: number): readonly string[] => {
  if (widthOf(text) <= columns || columns < 1) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\s)(?=\S)/u)) {
    if (widthOf(line + word.trimEnd()) <= columns) {
      line += word
      continue
    }
    if (line.trim() !== '') lines.push(line.trimEnd())
    line = word
    while (widthOf(line.trimEnd()) > columns) {
      const piece = fit(line, columns, '') || String.fromCodePoint(line.codePointAt(0) ?? 0)
      lines.push(piece)
      line = line.slice(piece.length)
    }
  }
  if (line.trim() !== '') lines.push(line.trimEnd())
  return lines
}
