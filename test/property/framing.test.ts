/** Framing does not depend on how a stream is cut. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineFramer } from '../../src/wire/framing.ts'

type Event = readonly ['line' | 'oversized', string, number]

const frame = (chunks: readonly Uint8Array[], maxBytes: number): Event[] => {
  const events: Event[] = []
  const framer = new LineFramer({
    maxBytes,
    line: (text, bytes) => events.push(['line', text, bytes]),
    oversized: (head, bytes) => events.push(['oversized', head, bytes]),
  })
  for (const chunk of chunks) framer.push(chunk)
  framer.end()
  return events
}

const cut = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const sorted = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b)
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index] ?? bytes.length))
}

/** Line ends, blanks and parts of multi-byte characters come often. */
const byte = fc.oneof(
  fc.constantFrom(0x0a, 0x0d, 0x20, 0x09, 0xe6, 0xbc, 0xa2, 0xf0, 0x9f, 0x98, 0x80, 0xff),
  fc.integer({ min: 0, max: 255 }),
)
const bytes = fc.array(byte, { maxLength: 300 }).map((values) => Uint8Array.from(values))
const places = fc.array(fc.nat(), { maxLength: 20 })

test('any cut of any bytes gives the same lines', () => {
  fc.assert(
    fc.property(bytes, places, fc.integer({ min: 1, max: 60 }), (stream, at, maxBytes) => {
      expect(frame(cut(stream, at), maxBytes)).toEqual(frame([stream], maxBytes))
    }),
    { numRuns: 1000 },
  )
})

test('the lines are those of the decoded text, cut at LF', () => {
  fc.assert(
    fc.property(bytes, places, (stream, at) => {
      const lines = Buffer.from(stream)
        .toString('utf8')
        .split('\n')
        .map((line) => line.replace(/\r$/, ''))
        .filter((line) => !/^[ \t\r]*$/.test(line))
      expect(frame(cut(stream, at), 1000).map(([, text]) => text)).toEqual(lines)
    }),
    { numRuns: 1000 },
  )
})

test('multi-byte characters come whole through a cut at every byte', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 10 }), (texts) => {
      const lines = texts.map((text) => JSON.stringify(text))
      const stream = Buffer.from(`${lines.join('\n')}\n`)
      const pieces = Array.from(stream, (value) => Uint8Array.of(value))
      expect(frame(pieces, 10_000).map(([, text]) => text)).toEqual(texts.length > 0 ? lines : [])
    }),
  )
})
