/** MCP servers in the form of Claude Code's own file. Pure. */
import type { McpServer } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'

const serverOf = (server: McpServer): JsonObject => {
  if ('command' in server) {
    const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]))
    return { type: 'stdio', command: server.command, args: [...server.args], env, alwaysLoad: true }
  }
  if (server.type === 'http' || server.type === 'sse') {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]))
    return { type: server.type, url: server.url, headers, alwaysLoad: true }
  }
  throw new SubagentError(
    'INVALID_REQUEST',
    'session',
    'An MCP server was given in a form that Claude Code does not take. Use stdio, HTTP or SSE.',
    { field: 'mcpServers' },
  )
}

/** The content of the file; undefined when no server was asked for. */
export const mcpConfig = (servers: readonly McpServer[]): JsonObject | undefined =>
  servers.length === 0
    ? undefined
    : { mcpServers: Object.fromEntries(servers.map((server) => [server.name, serverOf(server)])) }
