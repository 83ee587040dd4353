/** The `grep` tool: one form of result, with ripgrep and without. */
import { execFileSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { firstMatches, searchText } from '../../../../src/agent/tools/search-format.ts'
import { pathFilter } from '../../../../src/agent/tools/search.ts'
import type { ToolHouse } from '../../../fixtures/tool-house.ts'
import { toolHouse } from '../../../fixtures/tool-house.ts'

const PATH = process.env['PATH'] ?? ''
const hasRipgrep = PATH.split(delimiter).some((folder) => {
  try {
    accessSync(join(folder, 'rg'), constants.X_OK)
    return true
  } catch {
    return false
  }
})

afterEach(() => {
  process.env['PATH'] = PATH
})

const FILES = {
  '.gitignore': 'out/\n*.log\n',
  '.dot/a.ts': 'needle in dot\n',
  'a.ts': 'one\nneedle 1\nthree\nfour\nNEEDLE 2\nsix\n',
  'b.log': 'needle\n',
  binary: Uint8Array.from([...Buffer.from('needle\n'), 0, 0x0a]),
  'c.md': 'a+b (needle)\r\nend',
  'latin.txt': Uint8Array.from([0xe4, ...Buffer.from(' needle\n')]),
  'long.txt': `${'x'.repeat(600)}needle\n`,
  'out/x.ts': 'needle\n',
  'src/deep/a.test.ts': 'needle\nneedle\n',
  'src/z.ts': 'needle',
}

/** Where ripgrep is installed the same table holds with it. */
describe.each(hasRipgrep ? ['ripgrep', 'no ripgrep'] : ['no ripgrep'])('grep with %s', (which) => {
  beforeEach(() => {
    if (which === 'no ripgrep') process.env['PATH'] = '/nonexistent'
  })

  const ALL = [
    '.dot/a.ts:1:needle in dot',
    'a.ts:2:needle 1',
    'c.md:1:a+b (needle)',
    'latin.txt:1:\u{FFFD} needle',
    `long.txt:1:${'x'.repeat(500)} [106 more characters]`,
    'src/deep/a.test.ts:1:needle',
    'src/deep/a.test.ts:2:needle',
    'src/z.ts:1:needle',
  ]

  test.each([
    [{ pattern: 'needle' }, ALL],
    [{ pattern: 'needle', path: 'src' }, ALL.slice(5)],
    [{ pattern: 'needle', path: 'a.ts' }, ['a.ts:2:needle 1']],
    [{ pattern: 'needle', path: 'b.log' }, ['b.log:1:needle']],
    [{ pattern: 'needle', glob: '*.test.ts' }, ALL.slice(5, 7)],
    [{ pattern: 'needle', glob: 'src/**/*.ts' }, ALL.slice(5)],
    [{ pattern: 'needle', glob: '*.{md,log}' }, ['c.md:1:a+b (needle)']],
    [{ pattern: 'needle', glob: '!*.ts' }, ALL.slice(2, 5)],
    [{ pattern: 'needle', path: 'src', output: 'files' }, ['src/deep/a.test.ts', 'src/z.ts']],
    [{ pattern: 'needle', path: 'src', output: 'count' }, ['src/deep/a.test.ts:2', 'src/z.ts:1']],
    [{ pattern: 'needle', path: 'a.ts', ignore_case: true }, ['a.ts:2:needle 1', 'a.ts:5:NEEDLE 2']],
    [{ pattern: '(?i)needle \\d', path: 'a.ts' }, ['a.ts:2:needle 1', 'a.ts:5:NEEDLE 2']],
    [{ pattern: 'a+b (', literal: true }, ['c.md:1:a+b (needle)']],
    [{ pattern: '\\)$' }, ['c.md:1:a+b (needle)']],
    [{ pattern: '^needle(?= 1)' }, ['a.ts:2:needle 1']],
    [{ pattern: '-1' }, ['Nothing in . matches.']],
    [
      { pattern: 'needle', path: 'a.ts', context: 1, ignore_case: true },
      ['a.ts-1-one', 'a.ts:2:needle 1', 'a.ts-3-three', 'a.ts-4-four', 'a.ts:5:NEEDLE 2', 'a.ts-6-six'],
    ],
    [
      { pattern: 'one|six', path: 'a.ts', context: 1 },
      ['a.ts:1:one', 'a.ts-2-needle 1', '--', 'a.ts-5-NEEDLE 2', 'a.ts:6:six'],
    ],
    [
      { pattern: 'needle', path: 'src', limit: 1 },
      ['src/deep/a.test.ts:1:needle', '[There are more than these 1 matches: make the search narrower.]'],
    ],
    [{ pattern: 'needle', path: 'none' }, ['none does not exist. Check the path.']],
  ])('%j', async (input, lines) => {
    const { call } = toolHouse({ files: FILES })
    expect((await call('grep', input)).text.split('\n')).toEqual(lines)
  })

  test('follows no link out of the roots, and reads no FIFO', async () => {
    const { call, w, dir } = toolHouse({ files: { 'a.ts': 'needle\n' } })
    mkdirSync(join(dir, 'outside'))
    writeFileSync(join(dir, 'outside', 'secret'), 'needle')
    symlinkSync(join(dir, 'outside'), join(w, 'out'))
    symlinkSync(join(dir, 'outside', 'secret'), join(w, 'link'))
    execFileSync('/usr/bin/mkfifo', [join(w, 'fifo')])
    expect((await call('grep', { pattern: 'needle' })).text).toBe('a.ts:1:needle')
    expect((await call('grep', { pattern: 'needle', path: 'fifo' })).text).toBe('fifo is not a regular file.')
  })

  test('tells what is wrong with a pattern', async () => {
    const { call } = toolHouse({ files: { 'a.ts': 'x' } })
    const { text, isError } = await call('grep', { pattern: '(' })
    expect(isError).toBe(true)
    expect(text).toContain("The pattern can't be used: Invalid regular expression")
    expect((await call('grep', { pattern: '' })).text).toBe('pattern is empty. Give what to search for.')
    expect((await call('grep', { pattern: 'x', output: 'json' })).text).toBe(
      'output must be one of lines, files, count.',
    )
  })

  test('asks before it searches outside of the roots', async () => {
    const { call, asked } = toolHouse()
    expect((await call('grep', { pattern: 'root', path: '/etc' })).isError).toBe(true)
    expect(asked).toMatchObject([{ title: 'Search for root in /etc', kind: 'search' }])
  })

  test('a large result is cut with a handle', async () => {
    const outputs = { fits: 100, head: 50, tail: 50, session: 10_000 }
    const { call } = toolHouse({ files: { 'a.ts': 'needle\n'.repeat(100) }, outputs })
    const { text } = await call('grep', { pattern: 'needle' })
    expect(text).toContain('The whole output is output-1')
    expect((await call('read', { path: 'output-1', offset: 100 })).text).toBe('100\ta.ts:100:needle')
  })
})

describe('without ripgrep', () => {
  test('a pattern that runs away is stopped', async () => {
    process.env['PATH'] = '/nonexistent'
    const { call } = toolHouse({ files: { 'a.ts': `${'a'.repeat(60)}!\n` } })
    expect(await call('grep', { pattern: '^(a+)+$' })).toEqual({
      text: 'The pattern takes too long on these files. Make it simpler, or set literal.',
      isError: true,
    })
  })
})

describe('with a program rg', () => {
  const withRg = (script: string): ToolHouse => {
    const house = toolHouse({ files: { 'a.ts': 'needle\n' } })
    const bin = join(house.dir, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'rg'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'rg'), 0o755)
    process.env['PATH'] = `${bin}${delimiter}/usr/bin${delimiter}/bin`
    return house
  }

  test('it is started without a shell, in the directory, with PATH alone', async () => {
    process.env['SUBGATE_PLANTED'] = 'planted'
    const { call, dir, w } = withRg(`pwd -P > ../rg.cwd; env > ../rg.env; printf '%s\\n' "$@" > ../rg.args
      echo '{"type":"match","data":{"path":{"text":"./x"},"lines":{"bytes":"4A=="},"line_number":7}}'
      echo '{"type":"summary","data":{}}'`)
    const { text } = await call('grep', { pattern: '$(touch hacked); -x', glob: '*' })
    delete process.env['SUBGATE_PLANTED']
    expect(text).toBe('x:7:\u{FFFD}')
    expect(readFileSync(join(dir, 'rg.cwd'), 'utf8')).toBe(`${w}\n`)
    expect(readFileSync(join(dir, 'rg.env'), 'utf8')).not.toContain('planted')
    const args = readFileSync(join(dir, 'rg.args'), 'utf8').split('\n')
    expect(args.slice(-5)).toEqual(['--regexp', '$(touch hacked); -x', '--', '.', ''])
  })

  test.each([
    ['that fails', 'exit 3'],
    ['that says something else', 'echo "rg 0.1"; exit 0'],
    ['that is killed', 'kill -KILL $$'],
  ])('%s is done without', async (_, script) => {
    const { call } = withRg(script)
    expect((await call('grep', { pattern: 'needle' })).text).toBe('a.ts:1:needle')
  })

  test('that could not read everything is said', async () => {
    const { call } = withRg(`echo '{"type":"summary","data":{}}'; exit 2`)
    expect((await call('grep', { pattern: 'x' })).text).toBe(
      'Nothing in . matches.\n[Some files could not be read.]',
    )
  })

  test('that never ends is stopped with the call', async () => {
    const stop = new AbortController()
    const { dir, context } = withRg(`echo $$ > ../rg.pid; exec sleep 60`)
    const { grepTool } = await import('../../../../src/agent/tools/grep.ts')
    const call = grepTool.run({ pattern: 'x' }, { ...context, signal: stop.signal })
    let pid = Number.NaN
    await expect
      .poll(() => (pid = Number(readFileSync(join(dir, 'rg.pid'), 'utf8'))), { timeout: 10_000 })
      .toBeGreaterThan(0)
    stop.abort()
    expect(await call).toEqual({ text: 'The call was stopped.', isError: true })
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
  })

  test('that says too much is cut short', async () => {
    const line = `{"type":"match","data":{"path":{"text":"a.ts"},"lines":{"text":"${'y'.repeat(1000)}"},"line_number":1}}`
    const { call } = withRg(`yes '${line}'`)
    const { text } = await call('grep', { pattern: 'y', limit: 100_000 })
    expect(text.endsWith('[There is too much to show: make the pattern narrower.]')).toBe(true)
  })
})

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('the form of the result', () => {
  test('a character is never cut in two', () => {
    const hits = [{ path: 'a', line: 1, text: 'abc😀def', isMatch: true }]
    expect(searchText(hits, 'lines', (path) => path, 4)).toEqual(['a:1:abc [5 more characters]'])
  })

  test('ends at the first match too many', () => {
    const hits = [1, 2, 3].map((line) => ({ path: 'a', line, text: '', isMatch: line !== 2 }))
    expect(firstMatches(hits, 1)).toEqual({ hits: hits.slice(0, 2), more: true })
    expect(firstMatches(hits, 2)).toEqual({ hits, more: false })
  })

  test.each([
    [undefined, 'x/y', true],
    ['*.ts', 'a/b.ts', true],
    ['/*.ts', 'a/b.ts', false],
    ['a/*.ts', 'a/b.ts', true],
    ['!*.ts', 'a/b.ts', false],
    ['!a/**', 'b/a.ts', true],
  ])('the filter %s for %s → %s', (glob, path, expected) => {
    expect(pathFilter(glob)(path)).toBe(expected)
  })
})
