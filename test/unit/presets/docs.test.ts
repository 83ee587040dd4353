/** The page on presets: its examples are presets, and its tables say what the data says. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PERMISSION_MODES, PRESET_KEYS } from '../../../src/presets/keys.ts'
import { parsePreset } from '../../../src/presets/parse.ts'
import { ruled } from '../../../src/presets/project-rule.ts'

const page = readFileSync(new URL('../../../docs/presets.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/```md\n(.*?)```/gs)].map(([, text = '']) =>
  parsePreset(text, 'presets.md'),
)

test('every example on the page is the preset that it is said to be', () => {
  expect(examples.map(({ preset }) => preset)).toEqual([
    {
      name: 'reviewer',
      instructions: {
        mode: 'append',
        text: 'You review changes. Say what is wrong, where, and how sure you are. Change nothing.',
      },
      tools: { allow: ['Read', 'Grep', 'Glob'] },
      sandbox: 'read-only',
    },
    {
      name: 'fixer',
      instructions: { mode: 'replace', text: 'You fix the failing test and nothing else.' },
      tools: { deny: ['Bash'] },
      model: 'small',
      sandbox: 'danger-full-access',
    },
  ])
})

test('without trust, of the second example only the last key is left out', () => {
  expect(examples.map(({ preset }) => ruled(preset).withheld.map(({ key }) => key))).toEqual([
    [],
    ['permissionMode'],
  ])
})

test('the tables hold every key and every mode', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  for (const { key } of PRESET_KEYS)
    expect(rows.some((row) => row.split(' | ')[0]?.includes(`\`${key}\``))).toBe(true)
  for (const [mode, sandbox] of PERMISSION_MODES) {
    const row = rows.find((line) => line.split(' | ')[0]?.includes(`\`${mode}\``)) ?? ''
    expect(row).toContain(sandbox === undefined ? 'asks for nothing' : `\`${sandbox}\``)
  }
})
