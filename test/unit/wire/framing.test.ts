/** Lines out of bytes: the rules of the framer, and what large lines cost. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { LineFramer } from '../../../src/wire/framing.ts'

interface Seen {
  readonly lines: string[]
  readonly bytes: number[]
  readonly oversized: { head: string; bytes: number }[]
}

const frame = (chunks: readonly (string | Uint8Array)[], maxBytes?: number): Seen => {
  const seen: Seen = { lines: [], bytes: [], oversized: [] }
  const framer = new LineFramer({
    line: (text, bytes) => {
      seen.lines.push(text)
      seen.bytes.push(bytes)
    },
    oversized: (head, bytes) => seen.oversized.push({ head, bytes }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  })
  for (const chunk of chunks) framer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  framer.end()
  return seen
}

const inPieces = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('a line ends at LF, wherever the chunks are cut', () => {
  expect(frame(['{"a"', ':1}\n{"b":2}\n{"c', '":3}', '\n']).lines).toEqual(['{"a":1}', '{"b":2}', '{"c":3}'])
})

test('a last line without LF counts', () => {
  expect(frame(['one\ntw', 'o']).lines).toEqual(['one', 'two'])
})

test('one trailing CR belongs to the line end, any other stays', () => {
  expect(frame(['a\r\nb\rc\r\r\nd\r']).lines).toEqual(['a', 'b\rc\r', 'd'])
})

test('a CR and its LF in two chunks are one line end', () => {
  expect(frame(['a\r', '\nb\n']).lines).toEqual(['a', 'b'])
})

test('blank lines are skipped', () => {
  expect(frame(['\n\r\n  \t\n', '\n', 'x\n', '   ']).lines).toEqual(['x'])
})

test('invalid UTF-8 is replaced and costs nothing of the next line', () => {
  const chunk = Buffer.from([0x61, 0xff, 0xe6, 0xbc, 0x0a, 0x62, 0x0a])
  expect(frame([chunk]).lines).toEqual(['a\ufffd\ufffd', 'b'])
})

test('U+2028 and U+0085 do not end a line', () => {
  expect(frame(['a\u2028b\u0085c\n']).lines).toEqual(['a\u2028b\u0085c'])
})

test('the size of a line is that of its bytes, without the LF', () => {
  expect(frame(['ünï\r\n', 'abc']).bytes).toEqual([6, 3])
})

test('a chunk that its owner reuses afterwards changes no line', () => {
  const lines: string[] = []
  const framer = new LineFramer({ line: (text) => lines.push(text), oversized: () => {} })
  const chunk = Buffer.from('abc')
  framer.push(chunk)
  chunk.fill('x')
  framer.push(Buffer.from('\n'))
  expect(lines).toEqual(['abc'])
})

test('a plain Uint8Array that is a window of a larger buffer is read as it is', () => {
  const whole = Buffer.from('xxhello\nyy')
  expect(frame([new Uint8Array(whole.buffer, whole.byteOffset + 2, 6)]).lines).toEqual(['hello'])
})

test('a line of exactly the limit passes, one byte more is oversized, and the next line works', () => {
  for (const size of [1, 3, 1000]) {
    const seen = frame(inPieces(Buffer.from('0123456789\nabcdefghijk\nnext\n'), size), 10)
    expect(seen).toEqual({
      lines: ['0123456789', 'next'],
      bytes: [10, 4],
      oversized: [{ head: 'abcdefghijk', bytes: 11 }],
    })
  }
})

test('of an oversized line the first 64 KiB are kept and the whole is counted', () => {
  const line = Buffer.from(`${'é'.repeat(100_000)}\nnext\n`)
  for (const size of [1000, 65_536, 1_000_000]) {
    const seen = frame(inPieces(line, size), 150_000)
    expect(seen.lines).toEqual(['next'])
    expect(seen.oversized).toEqual([{ head: 'é'.repeat(32_768), bytes: 200_000 }])
  }
})

test('an oversized last line without LF is reported at the end', () => {
  expect(frame(['abcdef', 'ghi'], 5).oversized).toEqual([{ head: 'abcdefghi', bytes: 9 }])
})

test('C03: lines of 65,535 bytes to 10 MiB arrive whole, in pieces of 64 KiB', () => {
  for (const size of [65_535, 65_536, 65_537, 1_048_576, 5_242_880, 10_485_760]) {
    const text = 'a'.repeat(size)
    const [line = ''] = frame(inPieces(Buffer.from(`${text}\n`), 65_536)).lines
    expect(line.length).toBe(size)
    expect(sha256(line)).toBe(sha256(text))
  }
})

const fastest = (work: () => void): number => {
  let best = Infinity
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now()
    work()
    best = Math.min(best, performance.now() - start)
  }
  return best
}

test('C03: a line of 16 MiB in 16,384 pieces costs linear time', () => {
  const pieces = inPieces(Buffer.from(`${'a'.repeat(16_777_216)}\n`), 1024)
  const start = performance.now()
  expect(frame(pieces).bytes).toEqual([16_777_216])
  // Joining what is held anew with each piece would copy 137 GB.
  expect(performance.now() - start).toBeLessThan(3000)
})

test('C03: an endless line holds no more than its head', () => {
  const framer = new LineFramer({ line: () => {}, oversized: () => {}, maxBytes: 1_048_576 })
  const piece = Buffer.alloc(65_536, 'a')
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 4096; i += 1) framer.push(piece)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1_048_576)
})

test('20,000 chunks of 200 bytes cost less than 0.1 ms each to frame and parse', () => {
  const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"0123456789012345678901234567890123456789012345678"}}}}\n`
  expect(update.length).toBeGreaterThanOrEqual(200)
  const pieces = inPieces(Buffer.from(update.repeat(20_000)), 65_536)
  let parsed = 0
  const ms = fastest(() => {
    const framer = new LineFramer({
      line: (text) => {
        JSON.parse(text)
        parsed += 1
      },
      oversized: () => {},
    })
    for (const piece of pieces) framer.push(piece)
  })
  if (process.env['SUBGATE_TEST_FIGURES'])
    console.log(`framing + JSON.parse of 20,000 lines: ${ms.toFixed(1)} ms`)
  expect(parsed).toBe(100_000)
  expect(ms).toBeLessThan(2000)
})
