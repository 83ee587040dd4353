/** Measures and shortens text by the columns that it takes on a terminal. */
import stringWidth from 'string-width'

export const widthOf = (text: string): number => stringWidth(text)

const graphemes = new Intl.Segmenter()

/** At most `columns` wide; shortened text ends with the mark. */
export const fit = (text: string, columns: number, mark = '…'): string => {
  if (stringWidth(text) <= columns) return text
  const room = columns - stringWidth(mark)
  if (room < 0) return ''
  let kept = ''
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    const next = width + stringWidth(segment)
    if (next > room) break
    kept += segment
    width = next
  }
  return kept + mark
}

/** Where the cursor stands after the text, counted from the start of its line; tabs stop at every eighth column. */
export const columnAfter = (column: number, text: string): number => {
  const line = text.slice(text.lastIndexOf('\n') + 1)
  const [first = '', ...rest] = line.split('\t')
  const start = (line.length === text.length ? column : 0) + stringWidth(first)
  return rest.reduce((at, piece) => at + 8 - (at % 8) + stringWidth(piece), start)
}
