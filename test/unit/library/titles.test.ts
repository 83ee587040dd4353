/** What people are told of an agent, whatever face names it. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Gateway } from '../../../src/gateway.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'

const titles = async (
  names: readonly string[],
  settings: object = {},
): Promise<readonly (string | undefined)[]> => {
  const home = join(String(process.env['SUBGATE_TEST_HOME']), `titles-${crypto.randomUUID()}`)
  const dir = join(home, '.config', 'subgate')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'config.json'), JSON.stringify(settings))
  const env = { PATH: '/nonexistent' }
  await using gateway = await Gateway.create({ cwd: home, home, env, store: memoryStore() })
  return names.map((name) => gateway.runtime.providers.find(name)?.provider.title)
}

test('issue 6 item 2: the built-in agent is called so, under each of its names', async () => {
  expect(await titles(['spawn', 'builtin', 'fork'])).toEqual([
    'Built-in agent',
    'Built-in agent',
    'Built-in agent',
  ])
})

test('a known agent is called as people know it, also with a command of its own', async () => {
  const providers = {
    'claude-code': { command: ['/opt/claude'] },
    codex: { command: ['/opt/codex'] },
    gemini: { command: ['/opt/gemini', '--acp'] },
    'claude-acp': { command: ['/opt/claude-agent-acp'] },
  }
  expect(await titles(['claude-code', 'codex', 'gemini', 'claude-acp'], { providers })).toEqual([
    'Claude Code',
    'Codex',
    'Gemini CLI',
    'Claude Code (ACP adapter)',
  ])
})

test('one of several set-ups of an agent is told apart by the name that configuration gives it', async () => {
  expect(await titles(['work'], { providers: { work: { command: ['/opt/gemini', '--acp'] } } })).toEqual([
    undefined,
  ])
})
