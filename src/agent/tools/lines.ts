/** Splits a stream of bytes into lines with bounded memory, however long the file or a line is. */
import { Buffer, isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'

export interface Line {
  readonly text: string
  /** Bytes of the line that were left out because it is too long. */
  readonly omitted: number
  /** False when some bytes had to be replaced. */
  readonly valid: boolean
}

const CHUNK = 64 * 1024
const SNIFFED = 8 * 1024
const NEWLINE = 0x0a

export async function* chunksOf(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (;;) {
    signal.throwIfAborted()
    // A new buffer each time: lines are views of it until they are decoded.
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Git's rule: a NUL byte near the beginning. */
export const isBinary = (start: Buffer): boolean => start.subarray(0, SNIFFED).includes(0)

/** The longest part that ends at a border of characters. */
export const wholeCharacters = (bytes: Buffer): Buffer => {
  let end = bytes.length
  while (end > 0 && end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1
  const lead = bytes[end - 1] ?? 0
  const needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  return bytes.length - (end - 1) >= needs ? bytes : bytes.subarray(0, Math.max(end - 1, 0))
}

/** Lines a chunk at a time, without their ends; a last line without one counts. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  lineBytes: number,
): AsyncGenerator<readonly Line[]> {
  let parts: Buffer[] = []
  let kept = 0
  let omitted = 0
  let open = false
  const take = (part: Buffer): void => {
    const fits = part.subarray(0, Math.max(lineBytes - kept, 0))
    if (fits.length > 0) parts.push(fits)
    kept += fits.length
    omitted += part.length - fits.length
    open = true
  }
  const finish = (): Line => {
    const all = Buffer.concat(parts)
    const bytes = omitted > 0 ? wholeCharacters(all) : all
    const text = bytes.toString('utf8')
    const line = {
      text: omitted === 0 && text.endsWith('\r') ? text.slice(0, -1) : text,
      omitted: omitted + all.length - bytes.length,
      valid: isUtf8(bytes),
    }
    parts = []
    kept = 0
    omitted = 0
    open = false
    return line
  }
  for await (const chunk of chunks) {
    const lines: Line[] = []
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end))
      lines.push(finish())
      from = end + 1
    }
    if (from < chunk.length) take(chunk.subarray(from))
    yield lines
  }
  if (open) yield [finish()]
}
