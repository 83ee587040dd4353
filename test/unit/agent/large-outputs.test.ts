/** Large outputs: cut for the model, whole behind a handle, gone with the session. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cutMiddle } from '../../../src/agent/cut-middle.ts'
import { removeOutputs, SessionOutputs } from '../../../src/agent/large-outputs.ts'

const LIMITS = { fits: 40, head: 12, tail: 12, session: 1000 }

const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'subgate-outputs-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'a', 'outputs')
}

const TEN = Array.from({ length: 10 }, (_, index) => `line${index}\n`).join('')

describe('a text', () => {
  test('that fits is given as it is, and no folder is made', async () => {
    const path = folder()
    const outputs = new SessionOutputs(path, LIMITS)
    expect(await outputs.fit('ä'.repeat(20))).toBe('ä'.repeat(20))
    expect(existsSync(path)).toBe(false)
  })

  test('that is too large keeps its head and tail at line borders, with a handle and counts', async () => {
    const outputs = new SessionOutputs(folder(), LIMITS)
    expect(await outputs.fit(TEN)).toBe(
      'line0\nline1\n[6 lines (36 bytes) of 10 (60 bytes) are left out here. The whole output is output-1: give that as the path to read it.]\nline8\nline9\n',
    )
    expect(await outputs.find('output-1')).toBe(TEN)
    expect(outputs.bytes).toBe(60)
  })

  test('is measured in bytes', async () => {
    const outputs = new SessionOutputs(folder(), LIMITS)
    expect(await outputs.fit('ä'.repeat(21))).toContain('output-1')
  })

  test('of one long line is cut between characters', () => {
    const cut = cutMiddle('漢'.repeat(20), { head: 10, tail: 10 }, 'Gone.')
    expect(cut).toBe('漢漢漢\n[1 lines (42 bytes) of 1 (60 bytes) are left out here. Gone.]\n漢漢漢')
  })
})

describe('a handle', () => {
  test('belongs to one output, also when several come at once', async () => {
    const outputs = new SessionOutputs(folder(), LIMITS)
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(50))
    await Promise.all(texts.map((text) => outputs.fit(text)))
    const found = await Promise.all(['output-1', 'output-2', 'output-3'].map((name) => outputs.find(name)))
    expect(found.toSorted()).toEqual(texts)
  })

  test.each(['output-2', 'output-0', 'output-1/../output-1', '../outputs/output-1', 'output-1\0', ''])(
    '%j finds nothing',
    async (name) => {
      const outputs = new SessionOutputs(folder(), LIMITS)
      await outputs.fit('x'.repeat(50))
      expect(await outputs.find(name)).toBeUndefined()
    },
  )

  test('of an earlier process of the session still counts', async () => {
    const path = folder()
    await new SessionOutputs(path, LIMITS).fit('x'.repeat(50))
    const later = new SessionOutputs(path, LIMITS)
    expect(await later.find('output-1')).toBe('x'.repeat(50))
    expect(await later.fit('y'.repeat(50))).toContain('output-2')
    expect(later.bytes).toBe(100)
  })
})

describe('the folder', () => {
  test("is the user's alone", async () => {
    const path = folder()
    await new SessionOutputs(path, LIMITS).fit(TEN)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(path, 'output-1')).mode & 0o777).toBe(0o600)
  })

  test('of a session that outlives the process stays, and is taken away with the session', async () => {
    const path = folder()
    const outputs = new SessionOutputs(path, LIMITS, { lasts: true })
    await outputs.fit('x'.repeat(50))
    await outputs[Symbol.asyncDispose]()
    expect(await new SessionOutputs(path, LIMITS).find('output-1')).toBe('x'.repeat(50))
    await removeOutputs(dirname(path), [basename(path)])
    expect(existsSync(path)).toBe(false)
  })

  test('goes with the session, and is not made again', async () => {
    const path = folder()
    const outputs = new SessionOutputs(path, LIMITS)
    const under = outputs.fit(TEN)
    await outputs[Symbol.asyncDispose]()
    await under
    expect(existsSync(path)).toBe(false)
    expect(await outputs.fit(TEN)).toContain('The rest is not kept: the session has ended.')
    expect(await outputs.find('output-1')).toBeUndefined()
    expect(existsSync(path)).toBe(false)
    expect(outputs.bytes).toBe(0)
  })

  test('holds no more than the limit of the session', async () => {
    const path = folder()
    const outputs = new SessionOutputs(path, { ...LIMITS, session: 100 })
    await outputs.fit('x'.repeat(60))
    expect(await outputs.fit('y'.repeat(60))).toContain(
      'The rest is not kept: the outputs of this session may take 100 bytes.',
    )
    expect(readdirSync(path)).toEqual(['output-1'])
    expect(outputs.bytes).toBe(60)
  })

  test('that cannot be made costs the rest of the output, not the call', async () => {
    const path = folder()
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, 'a file')
    chmodSync(path, 0o600)
    const outputs = new SessionOutputs(path, LIMITS)
    expect(await outputs.fit(TEN)).toMatch(/^line0\nline1\n\[.*could not be stored \(EEXIST\)\.\]\nline8\n/u)
    expect(outputs.bytes).toBe(0)
  })
})
