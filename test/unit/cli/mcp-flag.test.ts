/** `--mcp-config`: what a file or JSON says is what the agent gets; what is wrong is named without its values. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mcpFlag } from '../../../src/cli/run/mcp-flag.ts'

const LIST = [
  { name: 'notes', command: 'notes-server', args: ['-v'], env: [{ name: 'KEY', value: 'k' }] },
  { type: 'http', name: 'far', url: 'https://example.org/mcp', headers: [{ name: 'X', value: 'y' }] },
  { name: 'bare', command: '/bin/bare', args: [], env: [] },
]
const OBJECT = {
  notes: { command: 'notes-server', args: ['-v'], env: { KEY: 'k' } },
  far: { type: 'http', url: 'https://example.org/mcp', headers: { X: 'y' } },
  bare: { type: 'stdio', command: '/bin/bare' },
}

test.each([
  ['the form of most agents', { mcpServers: OBJECT }],
  ['its inner part alone', OBJECT],
  ["the configuration's form", { mcpServers: LIST }],
  ['a list', LIST],
])('%s is taken', (_, value) => {
  expect(mcpFlag(JSON.stringify(value), '/')).toEqual(LIST)
})

test('a file is read from where the command is typed', () => {
  const dir = mkdtempSync(join(tmpdir(), 'subgate-mcp-flag-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  writeFileSync(join(dir, 'mcp.json'), JSON.stringify({ mcpServers: OBJECT }))
  expect(mcpFlag('mcp.json', dir)).toEqual(LIST)
})

test.each([
  [
    'nowhere.json',
    "--mcp-config names the file nowhere.json, which can't be read (ENOENT). Give a file, or JSON.",
  ],
  ['{"a"', '--mcp-config holds no valid JSON.'],
  ['{"mcpServers":1}', '--mcp-config must hold { "mcpServers": { "NAME": { "command": … } } }.'],
  ['{"a":{"command":"x","env":{"K":1}}}', '--mcp-config has "a.env", which must be an object of texts.'],
  ['{"a":{"command":"x","args":"sk-1"}}', '--mcp-config has "a.args", which must be a list of texts.'],
  [
    '{"a":{"url":"https://sk-1@x"}}',
    '--mcp-config has the server "a", which needs "command", or "url" with the type "http" or "sse".',
  ],
])('%s is refused', (given, message) => {
  expect(() => mcpFlag(given, '/')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message }))
})
