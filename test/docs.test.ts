/** The documentation says what the code does: generated parts are current, links lead somewhere, examples run. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../src/cli/program.ts'
import { generated } from '../scripts/docs.ts'
import { ERROR_CATALOG } from '../src/contract/error-catalog.ts'
import { VERSION } from '../src/version.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const pages = [
  'README.md',
  'AGENTS.md',
  ...globSync('docs/**/*.md', { cwd: root }),
  'examples/agent/README.md',
]

describe('generated pages', () => {
  test.each(generated())('$file is up to date (npm run docs)', ({ file, text }) => {
    expect(read(file)).toBe(text)
  })

  test('docs/errors.md has one section for each code of the catalogue, and no other', () => {
    const sections = [...read('docs/errors.md').matchAll(/^### (\w+)$/gmu)].map(([, code]) => code)
    expect(sections).toEqual(Object.keys(ERROR_CATALOG))
  })
})

describe('links', () => {
  test.each(pages)('%s links only to files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/gu)].map(([, link = '']) => link)
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
  })
})

describe('AGENTS.md', () => {
  test('is one page: at most 80 lines', () => {
    expect(read('AGENTS.md').split('\n').length).toBeLessThanOrEqual(80)
  })

  test('names every room of src, and no other', () => {
    const tree = read('AGENTS.md').match(/```\nsrc\/\n([\s\S]*?)```/u)?.[1] ?? ''
    const named = [...tree.matchAll(/^ {2}([\w-]+)\//gmu)].map(([, room]) => room).toSorted()
    const rooms = [
      ...new Set(globSync('*/**/*.ts', { cwd: join(root, 'src') }).map((file) => file.split('/')[0])),
    ].toSorted()
    expect(named).toEqual(rooms)
  })
})

test("the version that Subgate tells agents is the package's", () => {
  expect(VERSION).toBe((JSON.parse(read('package.json')) as { version: string }).version)
})

test("the README's commands are scripts of the package, and every subgate command in it exists", () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const npm = [...read('README.md').matchAll(/npm (?:run )?([\w:]+)/gu)].map(([, name = '']) => name)
  expect(npm.filter((name) => !['ci', 'install'].includes(name) && scripts[name] === undefined)).toEqual([])
  const commands = [...read('README.md').matchAll(/^(?:.*\| )?subgate ([a-z]+)/gmu)].map(
    ([, name = '']) => name,
  )
  expect(commands.filter((name) => !COMMANDS.includes(name))).toEqual([])
})
