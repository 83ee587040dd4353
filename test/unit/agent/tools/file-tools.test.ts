/** The file tools together: names, titles and guidance. */
import { expect, test } from 'vitest'
import { FILE_TOOLS, FILE_TOOL_NAMES, fileGuidance } from '../../../../src/agent/tools/file-tools.ts'
import type { JsonObject } from '../../../../src/contract/json.ts'

test('the tools are these, with the kinds that permissions go by', () => {
  expect(FILE_TOOLS.map(({ name, kind, family }) => [name, kind, family])).toEqual([
    ['read', 'read', 'files'],
    ['write', 'edit', 'files'],
    ['edit', 'edit', 'files'],
    ['glob', 'search', 'files'],
    ['grep', 'search', 'files'],
  ])
})

test('presets name them so', () => {
  expect(FILE_TOOL_NAMES).toEqual({
    Read: 'read',
    Write: 'write',
    Edit: 'edit',
    MultiEdit: 'edit',
    Glob: 'glob',
    Grep: 'grep',
    LS: 'glob',
  })
})

test.each<[string, JsonObject, string]>([
  ['read', { path: 'a.ts' }, 'Read a.ts'],
  ['read', { path: 'a.ts', offset: 10 }, 'Read a.ts (from line 10)'],
  ['read', { path: 'a.ts', offset: 10, limit: 5 }, 'Read a.ts (lines 10–14)'],
  ['write', { path: 'a.ts', content: '' }, 'Write a.ts'],
  ['edit', { path: 'a.ts', old_text: 'a', new_text: 'b' }, 'Edit a.ts'],
  ['glob', { pattern: '*.ts' }, 'Find *.ts'],
  ['grep', { pattern: 'x' }, 'Search for x'],
])('people read of %s %j: %s', (name, input, title) => {
  expect(FILE_TOOLS.find((tool) => tool.name === name)?.title?.(input)).toBe(title)
})

test('B7.5: the guidance speaks only of tools in view', () => {
  const names = FILE_TOOLS.map(({ name }) => name)
  for (const name of names) {
    const others = names.filter((other) => other !== name)
    expect(fileGuidance(others)).not.toContain(`\`${name}\``)
    expect(fileGuidance(names)).toContain(`\`${name}\``)
  }
  expect(fileGuidance(['read'])).toBe(
    'Paths of the file tools are absolute, or relative to the working directory. Read a file with `read` before you rely on what it holds.',
  )
})
