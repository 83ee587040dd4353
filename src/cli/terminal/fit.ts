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
