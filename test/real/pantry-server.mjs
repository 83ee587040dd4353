/** An MCP server over stdio with one tool, `take`, which says what variable it was given. */
import { createInterface } from 'node:readline'

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
const TOOL = { name: 'take', description: 'Takes a thing.', inputSchema: { type: 'object', properties: {} } }

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    if (method === 'initialize')
      answer(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'pantry', version: '1.0.0' },
      })
    else if (method === 'tools/list') answer(id, { tools: [TOOL] })
    else if (method === 'tools/call') {
      const lineage = process.env.SUBGATE_LINEAGE === undefined ? 'no lineage' : 'a lineage'
      answer(id, { content: [{ type: 'text', text: `marmalade, with ${lineage}` }] })
    } else answer(id, {})
  })
  .on('close', () => process.exit(0))
