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
  [
    ['mcp', '--header', 'Authorization: Bearer sk-1', '-H', 'x-user: sk-2'],
    "mcp --header 'Authorization: ***' -H 'x-user: ***'",
  ],
  [['mcp', '--header=Cookie: sk-1', '-H', 'sk-2'], "mcp '--header=Cookie: ***' -H ***"],
  [['mcp', 'https://ada:sk-1@h.example/x?api_key=sk-2#sk-3'], "mcp 'https://h.example/x?api_key=***'"],
  [['mcp', '--url=https://ada:sk-1@h.example/x'], 'mcp --url=https://h.example/x'],
  [['sh', '-c', 'exec env API_KEY=sk-1 agent'], "sh -c 'exec env API_KEY=*** agent'"],
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

test('values that a person gave are replaced too, whatever their names, the longest first', () => {
  const env = { MODE: 'planted-1', LONGER: 'planted-1-and-2', LANG: 'C.UTF-8', TINY: 'on' }
  const given = ['MODE', 'LONGER', 'TINY']
  expect(maskValues('planted-1-and-2 on planted-1 in C.UTF-8', env, given)).toBe(
    '[LONGER] on [MODE] in C.UTF-8',
  )
})

test('each line of a value counts, and so does what a cut leaves of one', () => {
  const env = { PEM_KEY: 'BEGIN-planted\nplanted-line\nEND-planted' }
  expect(maskValues('it was planted-line', env)).toBe('it was [PEM_KEY]')
  expect(maskValues('using planted-l…', env)).toBe('using [PEM_KEY]…')
  expect(maskValues('using plan…', env)).toBe('using plan…')
})
