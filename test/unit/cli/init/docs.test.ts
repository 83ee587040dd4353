/** What docs/editors shows is what `subgate init` writes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EDITOR_HOSTS } from '../../../../src/cli/init/hosts.ts'

const DOCS = join(import.meta.dirname, '../../../../docs/editors')
const LAUNCH = ['/usr/local/bin/node', '/usr/local/lib/node_modules/subgate/bin/subgate.js'] as const

test.each([
  ['zed', 'claude-code', 'json'],
  ['jetbrains', 'codex', 'json'],
  ['neovim', 'claude-code', 'lua'],
])('the entry on the page of %s', (name, provider, language) => {
  const page = readFileSync(join(DOCS, `${name}.md`), 'utf8')
  const shown = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'u').exec(page)?.[1]
  const wish = { name: 'Subgate', launch: LAUNCH, provider, path: '/usr/local/bin:/usr/bin:/bin' }
  const written = EDITOR_HOSTS.find((host) => host.name === name)?.entry(wish)
  // JSON is compared by what it means: a page may break a list where the program doesn't.
  if (language === 'json') expect(JSON.parse(shown ?? '')).toEqual(JSON.parse(written ?? ''))
  else expect(shown).toBe(written)
})

test('the table has each editor that init knows, with a page of its own', () => {
  const index = readFileSync(join(DOCS, 'index.md'), 'utf8')
  const rows = [...index.matchAll(/^\| \[.*\]\((\w+)\.md\).* \| `subgate init (\w+)` \|$/gmu)]
  expect(rows.map(([, page]) => page)).toEqual(EDITOR_HOSTS.map(({ name }) => name))
  expect(rows.map(([, , command]) => command)).toEqual(EDITOR_HOSTS.map(({ name }) => name))
})
