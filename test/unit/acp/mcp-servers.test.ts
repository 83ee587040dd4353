/** The MCP servers that an editor sends with every chat. */
import { expect, test } from 'vitest'
import { leftOutWords, refusedServers, sortServers } from '../../../src/acp/mcp-servers.ts'
import type { McpServer } from '../../../src/contract/content.ts'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { CapabilityId } from '../../../src/contract/capabilities.ts'

const program = { name: 'files', command: 'mcp-files', args: [], env: [] } as McpServer
const web = { type: 'http', name: 'web', url: 'http://127.0.0.1/mcp', headers: [] } as McpServer
const inside = { type: 'acp', name: 'inside', id: 'x' } as unknown as McpServer
const all = [program, web, inside]

test('an agent gets what its row says that it can take; a server inside the editor is for none', () => {
  expect(sortServers(all, 'native')).toEqual({ taken: [program, web], left: [inside] })
  expect(sortServers(all, 'emulated')).toEqual({ taken: [program], left: [web, inside] })
  expect(sortServers(all, 'none')).toEqual({ taken: [], left: all })
})

const refusal = (missing: readonly CapabilityId[], fields: readonly string[]): SubagentError =>
  new SubagentError('UNSUPPORTED_CAPABILITY', 'gate', 'No.', {
    provider: 'x',
    missing: [...missing],
    fields: [...fields],
    alternatives: [],
  })

test('a refusal of servers alone names them; any other refusal stays one', () => {
  expect(refusedServers(refusal(['mcpServers'], ['mcpServers.1']), all)).toEqual([web])
  expect(refusedServers(refusal(['mcpServers'], ['mcpServers']), all)).toEqual(all)
  expect(refusedServers(refusal(['mcpServers', 'sandbox'], ['mcpServers', 'sandbox']), all)).toBeUndefined()
  expect(refusedServers(refusal(['mcpServers'], ['mcpServers']), [])).toBeUndefined()
  expect(refusedServers(new Error('else'), all)).toBeUndefined()
})

test('what is left out is named with its transport', () => {
  expect(leftOutWords(all, 'Codex')).toBe(
    "Codex can't connect to files, web (http), inside (acp): left out of this chat.",
  )
})
