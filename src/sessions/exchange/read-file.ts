/** Reads a file of JSON Lines, plain or compressed, into its lines. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, zstdDecompress } from 'node:zlib'
import { badFile } from './bad-file.ts'
import { isZstd, zstdFrames } from './zstd-frames.ts'

export interface Line {
  /** Counts from 1. */
  readonly number: number
  readonly text: string
}

export interface Lines {
  readonly lines: readonly Line[]
  /** The end of the file is missing: its last frame or line isn't whole, and is left out. */
  readonly torn: boolean
}

/** What a small file may unpack to at most; a session that is larger isn't one. */
const MOST_BYTES = 1024 * 1024 * 1024
const LINE_FEED = 0x0a

const decompress = promisify(zstdDecompress)

const unpack = async (file: string, bytes: Buffer): Promise<{ plain: Buffer; torn: boolean }> => {
  const frames = zstdFrames(bytes)
  if (frames === undefined) throw badFile({ file }, 'it holds something else between its compressed parts')
  const parts: Buffer[] = []
  for (const { start, end, torn } of frames) {
    const frame = bytes.subarray(start, end)
    // Of a torn frame the whole blocks are read.
    const finishFlush = torn ? constants.ZSTD_e_flush : constants.ZSTD_e_end
    const left = MOST_BYTES - parts.reduce((sum, { length }) => sum + length, 0)
    try {
      parts.push(await decompress(frame, { finishFlush, maxOutputLength: Math.max(left, 1) }))
    } catch (error) {
      if (torn) continue
      const { code, message } = error as NodeJS.ErrnoException
      throw code === 'ERR_BUFFER_TOO_LARGE'
        ? badFile({ file }, `it unpacks to more than ${MOST_BYTES} bytes`)
        : badFile({ file }, `its compressed data is damaged at byte ${start} (${message})`)
    }
  }
  return { plain: Buffer.concat(parts), torn: frames.at(-1)?.torn ?? false }
}

const linesOf = (bytes: Buffer): Lines => {
  const lines: Line[] = []
  let from = 0
  for (let to = bytes.indexOf(LINE_FEED); to >= 0; to = bytes.indexOf(LINE_FEED, from)) {
    lines.push({ number: lines.length + 1, text: bytes.toString('utf8', from, to) })
    from = to + 1
  }
  if (from === bytes.length) return { lines, torn: false }
  const text = bytes.toString('utf8', from)
  // Whoever edits such a file may leave the last line feed out.
  const whole = isJson(text)
  return { lines: whole ? [...lines, { number: lines.length + 1, text }] : lines, torn: !whole }
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export const readLines = async (file: string): Promise<Lines> => {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw badFile({ file }, `it can't be read (${error.code ?? error.message})`)
  })
  if (!isZstd(bytes)) return linesOf(bytes)
  const { plain, torn } = await unpack(file, bytes)
  const read = linesOf(plain)
  return { lines: read.lines, torn: torn || read.torn }
}

/** A line's value; a blank line is none of JSON Lines. */
export const parseLine = (file: string, { number, text }: Line): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw badFile({ file, line: number }, 'it is no JSON')
  }
}
