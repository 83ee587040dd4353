/** Where presets come from: the nearest location wins, files are read anew, and trust decides what counts. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Logger } from '../../../src/contract/logger.ts'
import { silentLogger } from '../../../src/contract/logger.ts'
import { makeHouse, preset } from './house.ts'

const PLACES = [
  '.subgate/agents/one.md',
  '.claude/agents/one.md',
  'config/agents/one.md',
  '~/.claude/agents/one.md',
]

test('B1.6: the nearest location wins: project .subgate, project .claude, user, code', async () => {
  using house = makeHouse()
  for (const place of PLACES) house.write(place, preset(`name: one\nmodel: in ${place.split('/')[0]}`))
  const source = house.source({ code: [{ name: 'one', model: 'code' }] })
  const found: unknown[] = []
  for (const place of PLACES) {
    found.push((await source.find('one', house.cwd))?.model)
    rmSync(place.startsWith('~') ? join(house.home, place.slice(2)) : house.write(place, ''))
  }
  found.push((await source.find('one', house.cwd))?.model)
  expect(found).toEqual(['in .subgate', 'in .claude', 'in config', 'in ~', 'code'])
  expect(await source.find('two', house.cwd)).toBeUndefined()
})

test("of a project only the nearest folder counts, and the home directory's is the user's", async () => {
  using house = makeHouse()
  house.write('.subgate/agents/far.md', preset('name: far'))
  house.write('src/.subgate/agents/near.md', preset('name: near'))
  house.write('~/.claude/agents/mine.md', preset('permissionMode: bypassPermissions'))
  house.write('~/.subgate/agents/none.md', preset('name: none'))
  const source = house.source()
  expect(await source.names(house.cwd)).toEqual(['near', 'mine'])
  expect(await source.names(house.project)).toEqual(['far', 'mine'])
  expect(await source.names(house.home)).toEqual(['mine'])
  expect((await source.find('mine', house.cwd))?.sandbox).toBe('danger-full-access')
})

test('a file is read anew: what is written, changed and removed counts at the next look', async () => {
  using house = makeHouse()
  const source = house.source()
  expect(await source.names(house.cwd)).toEqual([])
  const file = house.write('.claude/agents/a.md', preset('model: a'))
  expect((await source.find('a', house.cwd))?.model).toBe('a')
  house.write('.claude/agents/a.md', preset('model: b'))
  expect((await source.find('a', house.cwd))?.model).toBe('b')
  rmSync(file)
  expect(await source.find('a', house.cwd)).toBeUndefined()
})

test('a path is taken as well as a name, from the directory of the start', async () => {
  using house = makeHouse()
  const file = house.write('src/x.md', preset('name: other\npermissionMode: bypassPermissions'))
  const source = house.source()
  const expected = { name: 'other', sandbox: 'danger-full-access' }
  for (const path of ['./x.md', 'x.md', '../src/x.md', file]) {
    expect(await source.find(path, house.cwd)).toEqual(expected)
  }
  await expect(source.find('./y.md', house.cwd)).rejects.toMatchObject({
    code: 'PRESET_NOT_FOUND',
    message: expect.stringContaining(join(house.cwd, 'y.md')),
    data: { preset: './y.md', known: [] },
  })
})

describe('a faulty file', () => {
  test.each(['name: one\ntoolz: x', 'toolz: x'])(
    'is told when its name is meant, and never passed over for a farther one: %j',
    async (head) => {
      using house = makeHouse()
      const file = house.write('.subgate/agents/one.md', preset(head))
      house.write('.claude/agents/one.md', preset('name: one'))
      house.write('.claude/agents/two.md', preset('name: two'))
      const source = house.source()
      await expect(source.find('one', house.cwd)).rejects.toMatchObject({
        code: 'INVALID_CONFIG',
        data: { file, key: 'toolz', suggestion: 'tools' },
      })
      expect((await source.find('two', house.cwd))?.name).toBe('two')
      expect(await source.names(house.cwd)).toEqual(['two'])
    },
  )

  test('two of one name in one folder are both refused', async () => {
    using house = makeHouse()
    const [a, b] = ['a', 'b'].map((file) => house.write(`.subgate/agents/${file}.md`, preset('name: twin')))
    const source = house.source()
    await expect(source.find('twin', house.cwd)).rejects.toMatchObject({ data: { file: a, key: 'name' } })
    const listed = await source.list(house.cwd)
    expect(listed.map(({ file, error }) => [file, error?.code])).toEqual([
      [a, 'INVALID_CONFIG'],
      [b, 'INVALID_CONFIG'],
    ])
  })

  test.each([
    ['a directory', (file: string) => mkdirSync(file), 'it is no file'],
    ['a device', (file: string) => symlinkSync('/dev/null', file), 'it is no file'],
  ])('that is %s is told and not waited for', async (_, make, message) => {
    using house = makeHouse()
    make(join(house.write('.subgate/agents/ok.md', preset('')), '..', 'odd.md'))
    await expect(house.source().find('odd', house.cwd)).rejects.toThrow(message)
  })

  test('of other bytes than text, or beyond 1 MiB, is told', async () => {
    using house = makeHouse()
    writeFileSync(
      join(house.write('.subgate/agents/ok.md', preset('')), '..', 'bytes.md'),
      Buffer.from([0xff, 0xfe]),
    )
    await expect(house.source().find('bytes', house.cwd)).rejects.toThrow("it isn't UTF-8")
    house.write('.subgate/agents/large.md', preset('', 'x'.repeat(1024 * 1024)))
    await expect(house.source().find('large', house.cwd)).rejects.toThrow('larger than 1 MiB')
  })
})

describe('trust', () => {
  const wide = preset('model: m\ntools: Read\npermissionMode: bypassPermissions', 'Do it.')

  test.each(['.subgate/agents/w.md', '.claude/agents/w.md'])(
    'an untrusted project chooses and narrows only, and the key is named: %s',
    async (path) => {
      using house = makeHouse()
      const file = house.write(path, wide)
      const warned: string[] = []
      const log: Logger = { ...silentLogger, warn: (_, message) => warned.push(message) }
      const asked: string[] = []
      const source = house.source({ log, trusted: (project) => asked.push(project) < 0 })
      expect(await source.find('w', house.cwd)).toEqual({
        name: 'w',
        model: 'm',
        tools: { allow: ['Read'] },
        instructions: { mode: 'append', text: 'Do it.' },
      })
      expect(asked).toEqual([house.project])
      expect(warned).toEqual([
        `permissionMode in ${file} doesn't count: it is wider than "workspace-write". Trust the project with: subgate trust`,
      ])
      // Its path is no way around the rule, and neither is a link to it.
      symlinkSync(file, join(house.cwd, 'link.md'))
      for (const name of [file, './link.md']) {
        expect(await source.find(name, house.cwd)).not.toHaveProperty('sandbox')
      }
    },
  )

  test('a trusted project counts whole, and one that only narrows is not asked about', async () => {
    using house = makeHouse()
    house.write('.subgate/agents/w.md', wide)
    house.write('.claude/agents/n.md', preset('permissionMode: acceptEdits'))
    const trusting = house.source({ trusted: () => true })
    expect((await trusting.find('w', house.cwd))?.sandbox).toBe('danger-full-access')
    const strict = house.source({
      trusted: () => {
        throw new Error('asked')
      },
    })
    expect((await strict.find(`${house.project}/.claude/agents/n.md`, house.cwd))?.sandbox).toBe(
      'workspace-write',
    )
  })
})

test('the list has all of them, with what is wrong, left out and overridden', async () => {
  using house = makeHouse()
  const a = house.write('.subgate/agents/a.md', preset('description: A\npermissionMode: bypassPermissions'))
  const b = house.write('.claude/agents/b.md', preset('color: red\nhooks: {}'))
  const user = house.write('config/agents/a.md', preset('name: a'))
  const source = house.source({ code: [{ name: 'c' }] })
  expect(await source.list(house.cwd)).toEqual([
    {
      name: 'a',
      level: 'project',
      file: a,
      description: 'A',
      preset: { name: 'a' },
      withheld: [{ key: 'permissionMode', reason: 'it is wider than "workspace-write"' }],
      overridden: false,
    },
    {
      name: 'b',
      level: 'project',
      file: b,
      withheld: [],
      overridden: false,
      error: expect.objectContaining({ code: 'INVALID_CONFIG', data: { file: b, key: 'hooks' } }),
    },
    { name: 'a', level: 'user', file: user, preset: { name: 'a' }, withheld: [], overridden: true },
    { name: 'c', level: 'code', preset: { name: 'c' }, withheld: [], overridden: false },
  ])
  expect(await source.names(house.cwd)).toEqual(['a', 'c'])
  expect(await source.projects(house.cwd)).toEqual([house.project])
})
