/**
 * An MCP server over stdio with one tool, `take`, which says what variable it was given, and writes the file that
 * PANTRY_MARKER names. A second tool, `late`, is there once the list was read.
 */
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
const TOOL = { name: 'take', description: 'Takes a thing.', inputSchema: { type: 'object', properties: {} } }

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
let listed = false

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    if (method === 'initialize')
      answer(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'pantry', version: '1.0.0' },
      })
    else if (method === 'tools/list') {
      answer(id, { tools: listed ? [TOOL, { ...TOOL, name: 'late' }] : [TOOL] })
      if (!listed) setTimeout(() => process.stdout.write(CHANGED), 200)
      listed = true
    } else if (method === 'tools/call') {
      if (process.env.PANTRY_MARKER !== undefined) writeFileSync(process.env.PANTRY_MARKER, 'x')
      const lineage = process.env.SUBGATE_LINEAGE === undefined ? 'no lineage' : 'a lineage'
      answer(id, { content: [{ type: 'text', text: `marmalade, with ${lineage}` }] })
    } else answer(id, {})
  })
  .on('close', () => process.exit(0))
