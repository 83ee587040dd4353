/** Which agents count as found: those that are registered, one a program. */
import { expect, test } from 'vitest'
import { foundNames } from '../../../src/cli/run/names.ts'
import type { ProviderConfig } from '../../../src/config/config.ts'
import type { Gateway } from '../../../src/gateway.ts'

const agent = (name: string, program: string, path?: string) => ({
  agent: { name, title: name, program, args: [] },
  ...(path !== undefined && { program: path }),
})
const AGENTS = [
  agent('codex', 'codex-acp', '/bin/codex-acp'),
  agent('gemini', 'gemini'),
  agent('codex-acp', 'codex-acp', '/bin/codex-acp'),
]

const found = (providers: Readonly<Record<string, ProviderConfig>>): readonly string[] =>
  foundNames({ agents: () => AGENTS, loaded: { config: { providers } } } as unknown as Gateway)

test.each<[string, Readonly<Record<string, ProviderConfig>>, readonly string[]]>([
  ['nothing is configured: one name a program', {}, ['codex']],
  ['an agent that is configured, but not installed', { gemini: { permission: 'deny' } }, ['codex']],
  ['the other name of a program is configured', { 'codex-acp': { permission: 'deny' } }, ['codex-acp']],
  ['a name of its own for an installed program', { mine: { command: ['codex-acp'] } }, ['mine']],
  ['the same program with other words', { mine: { command: ['codex-acp', '-x'] } }, ['mine', 'codex']],
  ['a module', { mine: { module: './m.js' } }, ['mine', 'codex']],
  [
    'an installed agent with a command of its own',
    { codex: { command: ['/opt/x'] } },
    ['codex', 'codex-acp'],
  ],
])('%s', (_what, providers, names) => {
  expect(found(providers)).toEqual(names)
})
