/** The lines of a text that one call of `read` gives, numbered and bounded. */
import { Buffer } from 'node:buffer'
import { ToolFailure } from './failure.ts'
import { linesOf } from './lines.ts'

export const READ_LIMITS: Readonly<Record<'lines' | 'lineBytes' | 'bytes', number>> = {
  lines: 2000,
  lineBytes: 2000,
  bytes: 64 * 1024,
}

/** Stops reading as soon as the window is full, so that a huge file costs no more than its beginning. */
export const readWindow = async (
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { offset, limit = READ_LIMITS.lines }: { readonly offset: number; readonly limit: number | undefined },
  name: string,
): Promise<string> => {
  const most = Math.min(limit, READ_LIMITS.lines)
  const shown: string[] = []
  let bytes = 0
  let number = 0
  let valid = true
  const result = (more: boolean): string => {
    const notes = [
      ...(more ? [`[${name} goes on: read it with offset ${offset + shown.length}.]`] : []),
      ...(valid ? [] : ['[Bytes that are not UTF-8 are shown as \u{FFFD}.]']),
    ]
    return [...shown, ...notes].join('\n')
  }
  for await (const lines of linesOf(chunks, READ_LIMITS.lineBytes))
    for (const line of lines) {
      number += 1
      if (number < offset) continue
      const plain = number === 1 ? line.text.replace(/^\u{FEFF}/u, '') : line.text
      const text = `${number}\t${plain}${line.omitted > 0 ? ` [${line.omitted} more bytes]` : ''}`
      bytes += Buffer.byteLength(text)
      if (shown.length === most || (shown.length > 0 && bytes > READ_LIMITS.bytes)) return result(true)
      shown.push(text)
      valid &&= line.valid
    }
  if (number === 0) return `${name} is empty.`
  if (shown.length === 0)
    throw new ToolFailure(`${name} has ${number} lines; offset ${offset} lies past its end.`)
  return result(false)
}
