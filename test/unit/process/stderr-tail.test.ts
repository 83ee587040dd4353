/** The bounded memory of stderr (C16). */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { StderrTail } from '../../../src/process/stderr-tail.ts'

const LIMIT = 65_536

test('a short text is kept whole and unmarked', () => {
  const tail = new StderrTail()
  expect(tail.text()).toBe('')
  tail.push(Buffer.from('boom: '))
  tail.push(Buffer.from('not logged in\n'))
  expect(tail.text()).toBe('boom: not logged in\n')
})

test('C16: a flood leaves its last bytes, at most 64 KiB of them, behind a mark', () => {
  const tail = new StderrTail()
  for (let index = 0; index < 2000; index += 1) tail.push(Buffer.from(`line ${index}\n`.padStart(600, '.')))
  expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(LIMIT)
  expect(tail.text()).toMatch(/^\[truncated: \d+ earlier bytes\]\n/)
  expect(tail.text().endsWith('line 1999\n')).toBe(true)
})

test('a character is never cut, neither by the limit nor by the end of what came so far', () => {
  const tail = new StderrTail()
  tail.push(Buffer.from(`x${'漢'.repeat(60_000)}`))
  tail.push(Buffer.from('漢').subarray(0, 2))
  expect(tail.text()).toMatch(/^\[truncated: \d+ earlier bytes\]\n漢+$/)
  tail.push(Buffer.from('漢').subarray(2))
  expect(tail.text().endsWith('漢漢')).toBe(true)
})

test('however the bytes are cut into pieces, the tail is the same', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50_000 }), { maxLength: 6 }), (pieces) => {
      const [whole, cut] = [new StderrTail(), new StderrTail()]
      whole.push(Buffer.concat(pieces))
      for (const piece of pieces) cut.push(piece)
      expect(cut.text()).toBe(whole.text())
    }),
    { numRuns: 30 },
  )
})
