/** Frames of a Zstandard stream, which the platform's own decoder reads only the first of. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isZstd, zstdFrames } from '../../../../src/sessions/exchange/zstd-frames.ts'

const frame = (content: Uint8Array, checksum: boolean): Buffer =>
  zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: checksum ? 1 : 0 } })

const contents = fc.array(
  fc.record({
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(300_000).map((size) => new Uint8Array(size)),
      fc.nat(300_000).map((size) => Uint8Array.from({ length: size }, (_, n) => (n * n * 31) % 251)),
    ),
    checksum: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)

test('each frame is found whole, whatever was compressed', () => {
  fc.assert(
    fc.property(contents, (parts) => {
      const frames = parts.map(({ bytes, checksum }) => frame(bytes, checksum))
      const stream = Buffer.concat(frames)
      const found = zstdFrames(stream) ?? []
      expect(found.map(({ start, end }) => end - start)).toEqual(frames.map(({ length }) => length))
      expect(found.every(({ torn }) => !torn)).toBe(true)
      const content = found.map(({ start, end }) => zstdDecompressSync(stream.subarray(start, end)))
      expect(Buffer.concat(content).equals(Buffer.concat(parts.map(({ bytes }) => bytes)))).toBe(true)
    }),
    { numRuns: 40 },
  )
})

test('a stream that is cut anywhere is whole up to its last frame, which is torn', () => {
  const first = frame(Buffer.from('one\n'), true)
  const stream = Buffer.concat([first, frame(Buffer.from('two\n'), true)])
  for (let length = first.length + 1; length < stream.length; length += 1) {
    expect(zstdFrames(stream.subarray(0, length))).toEqual([
      { start: 0, end: first.length, torn: false },
      { start: first.length, end: length, torn: true },
    ])
  }
  for (let length = 5; length < first.length; length += 1)
    expect(zstdFrames(stream.subarray(0, length))).toEqual([{ start: 0, end: length, torn: true }])
})

test('frames that are to be skipped are; anything else between frames is told', () => {
  const skipped = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9])
  const data = frame(Buffer.from('x'), false)
  expect(zstdFrames(Buffer.concat([data, skipped, data]))).toEqual([
    { start: 0, end: data.length, torn: false },
    { start: data.length + 10, end: 2 * data.length + 10, torn: false },
  ])
  expect(zstdFrames(Buffer.concat([data, Buffer.from('junk')]))).toBeUndefined()
  expect([isZstd(data), isZstd(Buffer.from('{"type":"session"}')), isZstd(Buffer.alloc(0))]).toEqual([
    true,
    false,
    false,
  ])
})
