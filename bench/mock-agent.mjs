/** The agent of the benchmark: ACP by hand, as fast as Node can start. "20000 chunks" asks for that many, "20000 numbers" for as many that differ. */

const CHUNK = 'x'.repeat(63) + '\n'
const ANSWER = 'MOCK-ANSWER\n'

const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const update = (text) =>
  line({
    method: 'session/update',
    params: {
      sessionId: 's1',
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    },
  })

const results = {
  initialize: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] },
  'session/new': { sessionId: 's1' },
  'session/prompt': { stopReason: 'end_turn' },
}

const answer = ({ id, method, params }) => {
  if (id === undefined) return
  let out = ''
  if (method === 'session/prompt') {
    const count = Number(/(\d+) chunks/.exec(params.prompt[0].text)?.[1] ?? 0)
    const chunk = update(CHUNK)
    for (let n = 0; n < count; n += 1) out += chunk
    const numbers = Number(/(\d+) numbers/.exec(params.prompt[0].text)?.[1] ?? 0)
    for (let n = 0; n < numbers; n += 1) out += update(`${n} `)
    out += update(ANSWER)
  }
  const result = results[method]
  out += line(result === undefined ? { id, error: { code: -32601, message: 'unknown' } } : { id, result })
  process.stdout.write(out)
}

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (piece) => {
  const lines = (rest + piece).split('\n')
  rest = lines.pop()
  for (const text of lines) if (text !== '') answer(JSON.parse(text))
})
