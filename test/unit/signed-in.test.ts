/** Which agent a chat begins with where nobody has chosen one: never one that nobody is signed in to, if there is another. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signedInFirst } from '../../src/gateway-signed-in.ts'
import type { Person } from '../../src/gateway-signed-in.ts'

const AGENTS = ['claude-code', 'codex', 'gemini', 'claude-acp', 'codex-acp'].map((name) => ({
  name,
  title: name,
}))

const person = (files: Readonly<Record<string, string>>, more: Partial<Person> = {}): Person => {
  const home = mkdtempSync(join(tmpdir(), 'subgate-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), text)
  }
  return { config: { providers: {} }, env: {}, home, platform: 'linux', ...more }
}

const order = (someone: Person): readonly string[] => signedInFirst(AGENTS, someone).map(({ name }) => name)

const CLAUDE_FIRST = ['claude-code', 'gemini', 'claude-acp', 'codex', 'codex-acp']
const CODEX_FIRST = ['codex', 'gemini', 'codex-acp', 'claude-code', 'claude-acp']
const NOBODY = ['gemini', 'claude-code', 'codex', 'claude-acp', 'codex-acp']
const AS_LISTED = ['claude-code', 'codex', 'gemini', 'claude-acp', 'codex-acp']

test('an agent without its credentials goes behind those that have theirs, and those of which it cannot be seen', () => {
  expect(order(person({}))).toEqual(NOBODY)
  expect(order(person({ '.codex/auth.json': '{}' }))).toEqual(CODEX_FIRST)
  expect(order(person({ '.claude/.credentials.json': '{}' }))).toEqual(CLAUDE_FIRST)
  expect(order(person({ '.codex/auth.json': '{}', '.claude/.credentials.json': '{}' }))).toEqual(AS_LISTED)
})

test('a key in the environment or in the configuration of the agent is a sign-in, an empty one is none', () => {
  expect(order(person({}, { env: { CODEX_API_KEY: 'k' } }))).toEqual(CODEX_FIRST)
  expect(order(person({}, { env: { CLAUDE_CODE_USE_BEDROCK: '1' } }))).toEqual(CLAUDE_FIRST)
  expect(order(person({}, { env: { ANTHROPIC_API_KEY: '' } }))).toEqual(NOBODY)
  const configured = person({}, { config: { providers: { codex: { env: { CODEX_API_KEY: 'k' } } } } })
  expect(order(configured)).toEqual(['codex', 'gemini', 'claude-code', 'claude-acp', 'codex-acp'])
})

test('the folder is the one that its variable names', () => {
  const someone = person({ 'elsewhere/auth.json': '{}' })
  const env = { CODEX_HOME: join(someone.home, 'elsewhere') }
  expect(order({ ...someone, env })).toEqual(CODEX_FIRST)
})

test('where it may be signed in without a trace nothing is known, and so nothing is said', () => {
  expect(order(person({ '.codex/config.toml': 'model_provider = "local"' }))).toEqual(CODEX_FIRST)
  expect(order(person({ '.claude/settings.json': '{"apiKeyHelper":"x"}' }))).toEqual(CLAUDE_FIRST)
  expect(order(person({}, { platform: 'darwin' }))).toEqual(CLAUDE_FIRST)
})
