/**
 * An MCP server over stdio with one tool, `take`, which says what variable it was given, and writes the file that
 * PANTRY_MARKER names. A second tool, `late`, is there once the list was read. With PANTRY_ASKS it has the person fill in
 * a form first, and says what came back.
 */
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
const TOOL = { name: 'take', description: 'Takes a thing.', inputSchema: { type: 'object', properties: {} } }

const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'
let listed = false
/** What goes on once the person has answered. */
let answered

const FORM = {
  message: 'Which jar?',
  requestedSchema: {
    type: 'object',
    properties: { jar: { type: 'string', title: 'Jar' } },
    required: ['jar'],
  },
}

const asks = () => {
  const request = { jsonrpc: '2.0', id: 'form', method: 'elicitation/create', params: FORM }
  process.stdout.write(`${JSON.stringify(request)}\n`)
  return new Promise((resolve) => (answered = resolve))
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params, result, error } = JSON.parse(line)
    if (id === undefined) return
    if (method === undefined) return void answered?.(result ?? error)
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
      const said = process.env.PANTRY_ASKS === undefined ? '' : `, ${JSON.stringify(await asks())}`
      answer(id, { content: [{ type: 'text', text: `marmalade, with ${lineage}${said}` }] })
    } else answer(id, {})
  })
  .on('close', () => process.exit(0))
