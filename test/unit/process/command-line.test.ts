/** Command lines and agents' words as people see them (law 14). */
import { expect, test } from 'vitest'
import { commandLine, maskValues } from '../../../src/process/command-line.ts'

test.each([
  [['node', 'a.js', '--flag=1'], 'node a.js --flag=1'],
  [['sh', '-c', 'echo hi'], "sh -c 'echo hi'"],
  [['agent', '--api-key', 'sk-1', '--acp'], 'agent --api-key *** --acp'],
  [['agent', '--token=t-1', 'OPENAI_API_KEY=k'], 'agent --token=*** OPENAI_API_KEY=***'],
  [['agent', '--password', '--verbose'], 'agent --password --verbose'],
  [['agent', ''], "agent ''"],
])('%j is shown as %j', ([command = '', ...args], line) => {
  expect(commandLine(command, args)).toBe(line)
})

test('a long command line is cut at 200 characters', () => {
  const line = commandLine('agent', ['x'.repeat(500)])
  expect(line).toHaveLength(200)
  expect(line.endsWith('…')).toBe(true)
})

test('values of variables named like secrets are replaced by their names', () => {
  const env = { DEMO_KEY: 'sk-TEST-123', MY_TOKEN: '$&-value', LANG: 'sk-TEST', SHORT_KEY: 'abc' }
  expect(maskValues('bad key sk-TEST-123, $&-value, abc', env)).toBe('bad key [DEMO_KEY], [MY_TOKEN], abc')
})
