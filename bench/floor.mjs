/** The floor: a client written by hand, without SDK or schemas. `node floor.mjs PROMPT COMMAND…` */
import { spawn } from 'node:child_process'

const [prompt, command, ...args] = process.argv.slice(2)
const agent = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const send = (id, method, params) =>
  agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)

const next = [
  () => send(1, 'session/new', { cwd: process.cwd(), mcpServers: [] }),
  ({ sessionId }) => send(2, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] }),
  () => agent.stdin.end(),
]

let rest = ''
agent.stdout.setEncoding('utf8')
agent.stdout.on('data', (piece) => {
  const lines = (rest + piece).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params, result } = JSON.parse(line)
    if (method === 'session/update') process.stdout.write(params.update.content.text)
    else if (id !== undefined) next[id](result)
  }
})
send(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} })
