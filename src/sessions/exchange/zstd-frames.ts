/** Finds the frames of a Zstandard stream (RFC 8878), since the platform's decoder reads the first one alone. Pure. */

/** Bytes from `start` to `end`; the last frame of a file whose writer died may be torn. */
export interface Frame {
  readonly start: number
  readonly end: number
  readonly torn: boolean
}

const MAGIC = 0xfd2fb528
const SKIPPABLE = 0x184d2a50

export const isZstd = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === MAGIC

const DICTIONARY_BYTES = [0, 1, 2, 4] as const
const SIZE_BYTES = [0, 2, 4, 8] as const

/** Where the frame header ends that begins at `at`; undefined when it is torn. */
const blocksOf = (
  bytes: Buffer,
  at: number,
): { readonly blocks: number; readonly checksum: number } | undefined => {
  const descriptor = bytes[at + 4]
  if (descriptor === undefined) return undefined
  const single = (descriptor & 0x20) !== 0
  const size = SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3]
  const window = single ? 0 : 1
  const content = single && size === 0 ? 1 : size
  const dictionary = DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3]
  return { blocks: at + 5 + window + dictionary + content, checksum: (descriptor & 4) === 0 ? 0 : 4 }
}

/** One past the last byte of the data frame that begins at `at`; undefined when it is torn. */
const endOf = (bytes: Buffer, at: number): number | undefined => {
  const head = blocksOf(bytes, at)
  if (head === undefined) return undefined
  let block = head.blocks
  for (;;) {
    if (block + 3 > bytes.length) return undefined
    const word = bytes.readUIntLE(block, 3)
    // A run-length block holds one byte, however much that stands for.
    const held = ((word >> 1) & 3) === 1 ? 1 : word >> 3
    block += 3 + held
    if ((word & 1) === 1) break
  }
  const end = block + head.checksum
  return end > bytes.length ? undefined : end
}

/** Undefined where something stands that begins no frame. */
export const zstdFrames = (bytes: Buffer): readonly Frame[] | undefined => {
  const frames: Frame[] = []
  for (let at = 0; at < bytes.length;) {
    const rest = bytes.length - at
    const magic = rest < 4 ? undefined : bytes.readUInt32LE(at)
    if (magic === undefined) return [...frames, { start: at, end: bytes.length, torn: true }]
    if ((magic & 0xfffffff0) >>> 0 === SKIPPABLE) {
      at += rest < 8 ? rest : 8 + bytes.readUInt32LE(at + 4)
      continue
    }
    if (magic !== MAGIC) return undefined
    const end = endOf(bytes, at)
    if (end === undefined) return [...frames, { start: at, end: bytes.length, torn: true }]
    frames.push({ start: at, end, torn: false })
    at = end
  }
  return frames
}
