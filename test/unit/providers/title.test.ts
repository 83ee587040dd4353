/** What people are told of a command line that has no name. */
import { expect, test } from 'vitest'
import { titleOf } from '../../../src/providers/acp/agents.ts'

test.each<[string, readonly [string, ...string[]]]>([
  ['my-agent', ['my-agent', '--acp']],
  ['my-agent', ['/opt/bin/my-agent', '--api-key', 'sk-planted']],
  ['node agent.js', ['/usr/bin/node', '/home/me/agent.js', 'sk-planted']],
  ['node', ['node', '-e', 'sk-planted']],
  ['npx claude-agent-acp', ['npx', '@agentclientprotocol/claude-agent-acp']],
  ['node codex-acp', ['node', '/x/node_modules/@scope/codex-acp/dist/index.js']],
  ['npx TOKEN=***', ['npx', 'TOKEN=sk-planted']],
  ['sh', ['sh', 'run.sh']],
])('%s', (title, command) => {
  expect(titleOf(command)).toBe(title)
})
