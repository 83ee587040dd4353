/** The `glob` tool: what matches, what is left out, and where it ends. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { splitPattern } from '../../../../src/agent/tools/glob.ts'
import { isIgnored, parseIgnoreRules } from '../../../../src/agent/tools/ignore-rules.ts'
import { toolHouse } from '../../../fixtures/tool-house.ts'

const FILES = {
  '.gitignore': 'node_modules/\n*.log\n!keep.log\n/build\n',
  '.git/config': '',
  '.hidden/x.ts': '',
  'a.ts': '',
  'b.log': '',
  'build/out.ts': '',
  'keep.log': '',
  'node_modules/m/index.ts': '',
  'src/a.test.ts': '',
  'src/a.ts': '',
  'src/build/in.ts': '',
  'src/deep/.gitignore': 'gone.ts',
  'src/deep/gone.ts': '',
  'src/deep/here.tsx': '',
}

describe('glob', () => {
  test.each([
    ['**/*.ts', ['.hidden/x.ts', 'a.ts', 'src/a.test.ts', 'src/a.ts', 'src/build/in.ts']],
    ['src/**/*.{ts,tsx}', ['src/a.test.ts', 'src/a.ts', 'src/build/in.ts', 'src/deep/here.tsx']],
    ['*', ['.gitignore', '.hidden/', 'a.ts', 'keep.log', 'src/']],
    ['src/*', ['src/a.test.ts', 'src/a.ts', 'src/build/', 'src/deep/']],
    ['src', ['src/']],
    ['src/', ['src/']],
    ['src/a.ts', ['src/a.ts']],
    ['build/*', ['build/out.ts']],
    ['none/x', ['none does not exist. Check the path.']],
    ['*.none', ['Nothing in . matches *.none.']],
  ])('%s finds %j', async (pattern, found) => {
    const { call } = toolHouse({ files: FILES })
    expect((await call('glob', { pattern })).text.split('\n')).toEqual(found)
  })

  test('searches below a path, and takes an absolute pattern', async () => {
    const { call, w } = toolHouse({ files: FILES })
    expect((await call('glob', { pattern: '*.tsx', path: 'src/deep' })).text).toBe('src/deep/here.tsx')
    expect((await call('glob', { pattern: `${w}/src/deep/*.tsx` })).text).toBe('src/deep/here.tsx')
  })

  test('names links, and follows none', async () => {
    const { call, w } = toolHouse({ files: { 'd/a.ts': '' } })
    symlinkSync('..', join(w, 'd', 'circle'))
    symlinkSync('/etc', join(w, 'etc'))
    expect((await call('glob', { pattern: '**' })).text).toBe('d/\nd/a.ts\nd/circle\netc')
  })

  test('ends after 1000 results, and says so', async () => {
    const files = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${1000 + index}`, '']))
    const { call } = toolHouse({ files })
    const lines = (await call('glob', { pattern: '*' })).text.split('\n')
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      1001,
      'f1000',
      '[There are more than these 1000: make the pattern narrower.]',
    ])
  })

  test('asks before it looks outside of the roots', async () => {
    const { call, asked } = toolHouse()
    for (const pattern of ['/etc/*', '../*', '*'])
      await call('glob', { pattern, ...(pattern === '*' && { path: '..' }) })
    expect(asked.map(({ kind }) => kind)).toEqual(['search', 'search', 'search'])
  })
})

test.each([
  ['src/**/*.ts', '/w/src', '**/*.ts'],
  ['*.ts', '/w', '*.ts'],
  ['../x/*.ts', '/x', '*.ts'],
  ['/abs/x', '/abs', 'x'],
  ['{a,b}/c', '/w', '{a,b}/c'],
])('the pattern %s begins in %s', (pattern, start, glob) => {
  expect(splitPattern(pattern, '/w')).toEqual({ start, glob })
})

describe('.gitignore', () => {
  const ignored = (rules: string, path: string, isDirectory = false): boolean =>
    isIgnored(`/r/${path}`, isDirectory, [parseIgnoreRules('/r', rules)])

  test.each([
    ['*.log', 'a/b.log', false, true],
    ['/a.log', 'b/a.log', false, false],
    ['a/b', 'x/a/b', false, false],
    ['a/b', 'a/b', false, true],
    ['dir/', 'dir', false, false],
    ['dir/', 'x/dir', true, true],
    ['# note', '# note', false, false],
    ['\\#x', '#x', false, true],
    ['*.log\n!a.log', 'a.log', false, false],
    ['x  ', 'x', false, true],
    ['{a,b}', 'a', false, false],
    ['a/**/z', 'a/b/c/z', false, true],
    ['[ab].c', 'b.c', false, true],
  ])('%j for %s (directory: %s) → %s', (rules, path, isDirectory, expected) => {
    expect(ignored(rules, path, isDirectory)).toBe(expected)
  })

  test('the nearest file decides', () => {
    const levels = [parseIgnoreRules('/r', '*.log'), parseIgnoreRules('/r/a', '!x.log')]
    expect(isIgnored('/r/a/x.log', false, levels)).toBe(false)
    expect(isIgnored('/r/x.log', false, levels)).toBe(true)
  })
})
