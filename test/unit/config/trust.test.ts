import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashProject, openTrustStore } from '../../../src/config/trust.ts'
import { errorOf, makeHouse, write } from './house.ts'

const CHILD = join(import.meta.dirname, 'trust-child.ts')

test('a project is trusted by path and content', () => {
  using house = makeHouse()
  const store = openTrustStore(join(house.root, 'data', 'subgate'), () => 7)
  write(house.project, '{}')
  const other = write(join(house.home, 'other', '.subgate', 'config.json'), '{}')
  expect(store.isTrusted(house.project, '{}')).toBe(false)
  store.trust(house.project, '{}')
  expect(store.isTrusted(house.project, '{}')).toBe(true)
  expect(store.isTrusted(house.project, '{ }')).toBe(false)
  expect(store.isTrusted(other, '{}')).toBe(false)
  expect(store.list()).toEqual([
    { path: house.project, sha256: hashProject(join(house.cwd, '.subgate')), at: 7 },
  ])
})

test('a changed, added or removed preset ends the trust', () => {
  using house = makeHouse()
  const store = openTrustStore(join(house.root, 'data'))
  write(house.project, '{}')
  const preset = write(join(house.cwd, '.subgate', 'agents', 'a.md'), 'one')
  store.trust(house.project, '{}')
  write(preset, 'two')
  expect(store.isTrusted(house.project, '{}')).toBe(false)
  write(preset, 'one')
  expect(store.isTrusted(house.project, '{}')).toBe(true)
  const more = write(join(house.cwd, '.subgate', 'agents', 'b.md'), '')
  expect(store.isTrusted(house.project, '{}')).toBe(false)
  rmSync(more)
  expect(store.isTrusted(house.project, '{}')).toBe(true)
  rmSync(preset)
  expect(store.isTrusted(house.project, '{}')).toBe(false)
})

test('a project without a configuration file is trusted by its presets, those beside .subgate too', () => {
  using house = makeHouse()
  const store = openTrustStore(join(house.root, 'data'))
  const shared = write(join(house.cwd, '.claude', 'agents', 'a.md'), 'one')
  expect(store.isTrusted(house.project, undefined)).toBe(false)
  store.trust(house.project, undefined)
  expect(store.isTrusted(house.project, undefined)).toBe(true)
  write(shared, 'two')
  expect(store.isTrusted(house.project, undefined)).toBe(false)
  write(shared, 'one')
  expect(store.isTrusted(house.project, '{}')).toBe(false)
  symlinkSync(house.cwd, join(house.root, 'link'))
  expect(store.isTrusted(join(house.root, 'link', '.subgate', 'config.json'), undefined)).toBe(true)
})

test('content that moves from one file to another gives another hash', () => {
  using house = makeHouse()
  const dir = join(house.cwd, '.subgate')
  write(house.project, '{}')
  write(join(dir, 'agents', 'a.md'), 'xy')
  write(join(dir, 'agents', 'b.md'), '')
  const before = hashProject(dir)
  write(join(dir, 'agents', 'a.md'), 'x')
  write(join(dir, 'agents', 'b.md'), 'y')
  expect(hashProject(dir)).not.toBe(before)
})

test("a directory named like a preset doesn't break the hash, and other files don't count", () => {
  using house = makeHouse()
  const dir = join(house.cwd, '.subgate')
  write(house.project, '{}')
  mkdirSync(join(dir, 'agents', 'odd.md'), { recursive: true })
  const before = hashProject(dir)
  expect(before).toMatch(/^[\da-f]{64}$/)
  write(join(dir, 'agents', 'notes.txt'), 'x')
  expect(hashProject(dir)).toBe(before)
})

test('a project that is reached through a link is the same project', () => {
  using house = makeHouse()
  const store = openTrustStore(join(house.root, 'data'))
  write(house.project, '{}')
  symlinkSync(house.cwd, join(house.root, 'link'))
  store.trust(join(house.root, 'link', '.subgate', 'config.json'), '{}')
  expect(store.isTrusted(house.project, '{}')).toBe(true)
})

test('trust can be taken back, once', () => {
  using house = makeHouse()
  const store = openTrustStore(join(house.root, 'data'))
  write(house.project, '{}')
  store.trust(house.project, '{}')
  store.trust(house.project, '{}')
  expect(store.list()).toHaveLength(1)
  expect(store.untrust(house.project)).toBe(true)
  expect(store.untrust(house.project)).toBe(false)
  expect(store.isTrusted(house.project, '{}')).toBe(false)
})

test('only the user can read the store, and no temporary file is left', () => {
  using house = makeHouse()
  const dir = join(house.root, 'data')
  const store = openTrustStore(dir)
  write(house.project, '{}')
  store.trust(house.project, '{}')
  expect(statSync(store.file).mode & 0o777).toBe(0o600)
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(readdirSync(dir).toSorted()).toEqual(['trust.json', 'trust.json.lock'])
  expect(JSON.parse(readFileSync(store.file, 'utf8'))).toMatchObject({ version: 1, entries: [{}] })
})

test.for(['', '[]', '{"version": 2, "entries": []}', '{"version": 1, "entries": [{"path": 1}]}'])(
  'a store that holds %j trusts nobody, is an error and is not overwritten',
  (text) => {
    using house = makeHouse()
    const store = openTrustStore(join(house.root, 'data'))
    write(store.file, text)
    write(house.project, '{}')
    expect(errorOf(() => store.isTrusted(house.project, '{}')).code).toBe('INVALID_CONFIG')
    expect(errorOf(() => store.trust(house.project, '{}')).data).toEqual({ file: store.file })
    expect(readFileSync(store.file, 'utf8')).toBe(text)
  },
)

test("a store that can't be written is an error that names it", () => {
  using house = makeHouse()
  write(join(house.root, 'blocked'), '')
  write(house.project, '{}')
  const store = openTrustStore(join(house.root, 'blocked'))
  expect(errorOf(() => store.trust(house.project, '{}')).message).toContain("can't be")
})

test('several processes that trust at once lose nothing', async () => {
  using house = makeHouse()
  const dir = join(house.root, 'data')
  const files = Array.from({ length: 24 }, (_, at) =>
    write(join(house.home, `p${at}`, '.subgate', 'config.json'), '{}'),
  )
  const children = [0, 1, 2].map((at) =>
    spawn(process.execPath, [CHILD, 'trust', dir, ...files.filter((_, file) => file % 3 === at)], {
      stdio: 'ignore',
    }),
  )
  const codes = await Promise.all(children.map(async (child) => ((await once(child, 'exit')) as [number])[0]))
  expect(codes).toEqual([0, 0, 0])
  const paths = openTrustStore(dir)
    .list()
    .map(({ path }) => path)
  expect(paths.toSorted()).toEqual(files.toSorted())
})

test('the lock of a process that was killed holds nobody up', async () => {
  using house = makeHouse()
  const dir = join(house.root, 'data')
  mkdirSync(dir)
  write(house.project, '{}')
  const child = spawn(process.execPath, [CHILD, 'hold', dir], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const store = openTrustStore(dir)
  store.trust(house.project, '{}')
  expect(store.isTrusted(house.project, '{}')).toBe(true)
})
