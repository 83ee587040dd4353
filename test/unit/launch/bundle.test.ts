/** How the executable's files are loaded, and what is kept of them for the next start. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asBody, Bundle } from '../../../src/launch/bundle.ts'
import { CodeCache } from '../../../src/launch/code-cache.ts'

const DAY_MS = 86_400_000

const LAUNCH = join(import.meta.dirname, '../../../src/launch')
const START = `
  import { Bundle } from '${LAUNCH}/bundle.ts'
  import { CodeCache } from '${LAUNCH}/code-cache.ts'
  const [root, kept, name] = process.argv.slice(1)
  const bundle = new Bundle(root, new CodeCache(kept))
  const exports = bundle.require(name)
  bundle.keep()
  console.log(JSON.stringify(exports))
`

class House implements Disposable {
  readonly root: string = mkdtempSync(join(tmpdir(), 'subgate-launch-'))
  readonly code: string = join(this.root, 'code')
  readonly kept: string = join(this.code, 'build', 'run')

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.root, name), asBody(text))
  }

  bundle(): Bundle {
    return new Bundle(this.root, new CodeCache(this.kept))
  }

  /** Loads a file as a start does that ends well: in a process of its own, as V8 compiles a text once in each. */
  start(name: string): unknown {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', START, this.root, this.kept, name],
      { encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as unknown
  }

  read(name: string): Buffer {
    return readFileSync(join(this.kept, name))
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}

const PLAIN = { 'answer.js': 'const used = () => 42; module.exports = { answer: used() }' }

test('a file is loaded once, however often it is asked for, also in a circle', () => {
  using house = new House({
    'a.js':
      "module.exports.loads = (globalThis.loads ?? 0) + 1; globalThis.loads = module.exports.loads; require('./b.js')",
    'b.js': "module.exports.a = require('./a.js')",
  })
  const bundle = house.bundle()
  const a = bundle.require('./a.js')
  expect(bundle.require('./b.js')).toEqual({ a })
  expect(bundle.require('./a.js')).toBe(a)
  expect(a).toEqual({ loads: 1 })
})

test('a file is strict, as the module was that it is made of', () => {
  using house = new House({ 'loose.js': 'undeclared = 1' })
  expect(() => house.bundle().require('./loose.js')).toThrow('undeclared is not defined')
})

test('a file imports, and knows its place', async () => {
  using house = new House({
    'place.js': "module.exports = { meta, os: load('node:os') }",
  })
  const { meta, os } = house.bundle().require('./place.js') as {
    meta: ImportMeta
    os: Promise<{ EOL: string }>
  }
  expect(meta.url).toMatch(/^file:\/\/.*\/place\.js$/u)
  expect(meta.resolve('node:fs')).toMatch(/node:fs$/u)
  expect((await os).EOL).toBe('\n')
})

test('the code of what ran is kept for the next start, which keeps nothing again', () => {
  using house = new House(PLAIN)
  expect(house.start('./answer.js')).toEqual({ answer: 42 })
  const file = join(house.kept, 'answer.js')
  const { ino } = statSync(file)
  expect(house.start('./answer.js')).toEqual({ answer: 42 })
  expect(statSync(file).ino).toBe(ino)
})

test('what is kept holds the functions that ran, not only what was compiled at once', () => {
  const body = 'for (let i = 0; i < 10; i += 1) { sum += i * i; sum %= 1000 } '.repeat(50)
  using ran = new House({ 'f.js': `const f = (sum) => { ${body} return sum }; module.exports = f(0)` })
  using idle = new House({ 'f.js': `const f = (sum) => { ${body} return sum }; module.exports = 1` })
  for (const house of [ran, idle]) house.start('./f.js')
  expect(ran.read('f.js').length).toBeGreaterThan(idle.read('f.js').length + 1000)
})

test.each([
  ['of another build', (code: Buffer) => code.fill(0, 0, 16)],
  ['cut off', (code: Buffer) => code.subarray(0, code.length >> 1)],
  ['empty', () => Buffer.alloc(0)],
])('code that is %s is not run, and made anew', (_, spoil) => {
  using house = new House(PLAIN)
  house.start('./answer.js')
  writeFileSync(join(house.kept, 'answer.js'), spoil(house.read('answer.js')), { mode: 0o600 })
  const spoilt = house.read('answer.js')
  expect(house.start('./answer.js')).toEqual({ answer: 42 })
  expect(house.read('answer.js')).not.toEqual(spoilt)
})

test('code that others may write is not run', () => {
  using house = new House(PLAIN)
  house.start('./answer.js')
  chmodSync(join(house.kept, 'answer.js'), 0o666)
  expect(new CodeCache(house.kept).read('answer.js')).toBeUndefined()
})

test('after a day the code is made anew, with what is used by now', () => {
  using house = new House(PLAIN)
  house.start('./answer.js')
  const file = join(house.kept, 'answer.js')
  const now = Date.now()
  expect(new CodeCache(house.kept, () => now).read('answer.js')?.old).toBe(false)
  utimesSync(file, new Date(now - DAY_MS - 1000), new Date(now - DAY_MS - 1000))
  expect(new CodeCache(house.kept, () => now).read('answer.js')?.old).toBe(true)
  house.start('./answer.js')
  expect(new CodeCache(house.kept, () => now).read('answer.js')?.old).toBe(false)
})

test('where nothing can be kept, the files run all the same', () => {
  using house = new House({ ...PLAIN, code: 'a file in the place of the folder' })
  expect(house.start('./answer.js')).toEqual({ answer: 42 })
})

test('what other builds have left is removed after a month', () => {
  using house = new House(PLAIN)
  const [left, lately] = ['left', 'lately'].map((name) => join(house.code, name)) as [string, string]
  for (const folder of [left, lately]) mkdirSync(folder, { recursive: true })
  const then = new Date(Date.now() - 31 * DAY_MS)
  utimesSync(left, then, then)
  house.start('./answer.js')
  expect(readdirSync(house.code).toSorted()).toEqual(['build', 'lately'])
  expect(existsSync(house.kept)).toBe(true)
})
