/** Standard output through slow, closed and full readers (C39), and the table that is written to it. */
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Output } from '../../../src/cli/output.ts'
import { columns } from '../../../src/cli/table.ts'

/** Takes one piece at each `take`. */
class SlowReader extends Writable {
  bytes = ''
  #done: (() => void) | undefined

  constructor() {
    super({ highWaterMark: 16, decodeStrings: false })
  }

  override _write(chunk: string, _: BufferEncoding, done: () => void): void {
    this.bytes += chunk
    this.#done = done
  }

  take(): void {
    const done = this.#done
    this.#done = undefined
    done?.()
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false
  void promise.then(() => (done = true))
  await turn()
  await turn()
  return done
}

test('C39: nobody is told that all is written before a slow reader has taken it', async () => {
  const reader = new SlowReader()
  const output = new Output(reader)
  output.write('first')
  await turn()
  output.write('second')
  const flushed = output.flushed()
  expect(await settled(flushed)).toBe(false)
  reader.take()
  expect(await settled(flushed)).toBe(false)
  reader.take()
  await flushed
  expect(reader.bytes).toBe('firstsecond')
})

test('C39: a document of 5 MiB leaves whole', async () => {
  const pipe = new PassThrough()
  const output = new Output(pipe)
  const document = { text: 'ä'.repeat(2_621_440) }
  output.json(document)
  const flushed = output.flushed()
  let bytes = 0
  for await (const chunk of pipe) {
    bytes += (chunk as Buffer).length
    if (bytes === 5_242_880 + '{"text":""}\n'.length) break
  }
  await flushed
  expect(bytes).toBe(5_242_892)
})

test('small pieces leave in one write, and at once when they have become much', async () => {
  const writes: string[] = []
  const output = new Output(
    new Writable({
      decodeStrings: false,
      write: (chunk: string, _, done) => {
        writes.push(chunk)
        done()
      },
    }),
  )
  output.write('a')
  output.write('')
  output.write('b')
  expect(writes).toEqual([])
  await turn()
  expect(writes).toEqual(['ab'])
  output.write('x'.repeat(65_536))
  expect(writes).toHaveLength(2)
})

test('a reader that wants no more for now holds up who asks, and only then', async () => {
  const reader = new SlowReader()
  const output = new Output(reader)
  expect(await settled(output.ready())).toBe(true)
  output.write('more than sixteen bytes')
  await turn()
  expect(output.full).toBe(true)
  const ready = output.ready()
  expect(await settled(ready)).toBe(false)
  reader.take()
  await ready
  expect(output.full).toBe(false)
})

describe('a reader that is gone', () => {
  const failing = (code: string): Output =>
    new Output(
      new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) }),
    )

  test('is noticed, waits for nobody, and is no fault', async () => {
    const output = failing('EPIPE')
    output.write('x')
    await output.flushed()
    expect(output.open).toBe(false)
    output.write('y')
    await output.flushed()
    await output.ready()
    expect(output.fault).toBeUndefined()
  })

  test('a full disk is a fault with its code', async () => {
    const output = failing('ENOSPC')
    output.write('x')
    await output.flushed()
    expect(output.open).toBe(false)
    expect(output.fault).toBe('ENOSPC')
  })
})

test('kept to itself, what others write to the stream goes elsewhere', async () => {
  const [out, others] = [new PassThrough(), new PassThrough()]
  const output = new Output(out)
  output.keep(others)
  out.write('a provider that logs')
  output.write('the result')
  await output.flushed()
  expect(String(out.read())).toBe('the result')
  expect(String(others.read())).toBe('a provider that logs')
})

describe('a table', () => {
  test('has columns two spaces apart, and no blanks at the ends of lines', () => {
    expect(
      columns([
        ['a', 'long cell', 'x'],
        ['longer', 'b', ''],
        ['', '', 'z'],
      ]),
    ).toBe('a       long cell  x\nlonger  b\n                   z\n')
  })

  test('of nothing is nothing', () => {
    expect(columns([])).toBe('')
  })
})
