/** docs/providers/codex.md says what is declared, row by row. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CODEX_ROWS } from '../../../src/providers/codex/capabilities.ts'
import { OLDEST } from '../../../src/providers/codex/version.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/providers/codex.md'), 'utf8')

test('the page has each capability with the support that is declared, and a reason', () => {
  const rows = [...page.matchAll(/^\| (?<id>\w+) \| (?<support>none|emulated|native) \| (?<how>.+) \|$/gmu)]
  expect(Object.fromEntries(rows.map(({ groups = {} }) => [groups['id'], groups['support']]))).toEqual(
    CODEX_ROWS,
  )
})

test('the page names the version that is the oldest', () => {
  expect(page).toContain(`**${OLDEST.join('.')}.0**`)
})
