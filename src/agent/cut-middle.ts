/** Cuts the middle out of a long text, at borders of lines where there are any. */
import { Buffer } from 'node:buffer'
import { wholeCharacters } from './tools/lines.ts'

const NEWLINE = 0x0a

const linesIn = (bytes: Buffer): number => {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? lines + 1 : lines
}

const headOf = (bytes: Buffer, size: number): Buffer => {
  const part = bytes.subarray(0, size)
  const border = part.lastIndexOf(NEWLINE) + 1
  return border > 0 ? part.subarray(0, border) : wholeCharacters(part)
}

const tailOf = (bytes: Buffer, size: number): Buffer => {
  let from = Math.max(bytes.length - size, 0)
  const border = bytes.indexOf(NEWLINE, Math.max(from - 1, 0)) + 1
  if (border > 0 && border < bytes.length) return bytes.subarray(border)
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return bytes.subarray(from)
}

/** `where` says what became of the whole. Sizes are bytes. */
export const cutMiddle = (
  text: string,
  { head, tail }: { readonly head: number; readonly tail: number },
  where: string,
): string => {
  const bytes = Buffer.from(text)
  const start = headOf(bytes, head)
  const end = tailOf(bytes.subarray(start.length), tail)
  const left = bytes.subarray(start.length, bytes.length - end.length)
  const note = `[${linesIn(left)} lines (${left.length} bytes) of ${linesIn(bytes)} (${bytes.length} bytes) are left out here. ${where}]`
  const first = start.toString('utf8')
  return `${first}${first === '' || first.endsWith('\n') ? '' : '\n'}${note}\n${end.toString('utf8')}`
}
