/** The way to the editor: what is said together goes together, in order, and nobody runs ahead of a slow reader. */
import { Buffer } from 'node:buffer'
import { array, assert, asyncProperty, integer } from 'fast-check'
import { expect, test } from 'vitest'
import { Outlet } from '../../../src/acp/outlet.ts'

type Done = (error?: Error | null) => void

const KIB = 1024

/** Takes a piece when it is told to. */
const reader = () => {
  const pieces: Buffer[] = []
  const open: Done[] = []
  const write = (chunk: Uint8Array, done: Done): void => {
    pieces.push(Buffer.from(chunk))
    open.push(done)
  }
  return { pieces, open, write }
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

const text = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString()

test('what is said in one breath is one piece', async () => {
  const { pieces, write } = reader()
  const outlet = new Outlet(write)
  for (const word of ['a\n', 'b\n', 'c\n']) await outlet.say(Buffer.from(word))
  await turn()
  expect(pieces.map(String)).toEqual(['a\nb\nc\n'])
})

test('C09: a writer waits for a reader that takes nothing, and goes on when it does', async () => {
  const { pieces, open, write } = reader()
  const outlet = new Outlet(write)
  const chunk = Buffer.alloc(KIB, 'x')
  const progress = { said: 0 }
  const saying = (async () => {
    for (; progress.said < 1000; progress.said += 1) await outlet.say(chunk)
  })()
  for (let round = 0; round < 20; round += 1) await turn()
  expect(progress.said).toBe(255)
  const reading = { over: false }
  void (async () => {
    await outlet.say(chunk)
    await saying
    await outlet.flushed()
    reading.over = true
  })()
  while (!reading.over) {
    open.shift()?.(null)
    await turn()
  }
  expect(text(pieces)).toBe('x'.repeat(1001 * KIB))
})

test('that the other end is gone is told without another word', async () => {
  const { open, write } = reader()
  const outlet = new Outlet(write)
  await outlet.say(Buffer.from('unheard'))
  await turn()
  open.shift()?.(new Error('EPIPE'))
  await outlet.gone
})

test('a message that is longer than the window goes through whole', async () => {
  const { pieces, open, write } = reader()
  const outlet = new Outlet(write)
  const saying = outlet.say(Buffer.alloc(1024 * KIB, 'y'))
  await turn()
  open.shift()?.(null)
  await saying
  expect(pieces.map(({ length }) => length)).toEqual([1024 * KIB])
})

test('once the other end is gone, whoever waits or speaks is told, and nothing hangs', async () => {
  const { open, write } = reader()
  const outlet = new Outlet(write)
  const waiting = outlet.say(Buffer.alloc(300 * KIB))
  await turn()
  open.shift()?.(new Error('EPIPE'))
  await expect(waiting).rejects.toThrow('EPIPE')
  await expect(outlet.say(Buffer.from('more'))).rejects.toThrow('EPIPE')
  await outlet.flushed()
})

test('whatever is said, and however it is taken, it arrives whole and in order', async () => {
  await assert(
    asyncProperty(array(integer({ min: 0, max: 100_000 }), { maxLength: 20 }), async (sizes) => {
      const pieces: Buffer[] = []
      const outlet = new Outlet((chunk, done) => {
        pieces.push(Buffer.from(chunk))
        setImmediate(done)
      })
      const chunks = sizes.map((size, index) => Buffer.alloc(size, String.fromCodePoint(97 + index)))
      for (const chunk of chunks) await outlet.say(chunk)
      await outlet.flushed()
      expect(Buffer.concat(pieces).equals(Buffer.concat(chunks))).toBe(true)
    }),
  )
})
