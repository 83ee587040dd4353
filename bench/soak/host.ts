/**
 * The process that is killed: runs in-process and process agents as fast as it can, some of them nested and kept, and
 * writes a line for every event that a reader saw.
 */
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Gateway } from '../../src/gateway.ts'
import { fakeAgentCommand } from '../../src/testing/fake-agent.ts'

/** Runs at once; the rest waits. */
const LANES = 4

/** Writes for about a third of a second, and leaves a process in a session of its own behind. */
const AGENT = fakeAgentCommand([
  { grandchild: { detached: true, forMs: 120_000 } },
  { expect: 'initialize' },
  { reply: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } },
  { expect: 'session/new' },
  { reply: { sessionId: 's1' } },
  { expect: 'session/prompt' },
  { repeat: 60, steps: [{ say: '{i} ' }, { sleep: 5 }] },
  { reply: { stopReason: 'end_turn' } },
])

const DELEGATES = [
  'say: I hand it on.',
  'delegate one:',
  '  say: A first answer of several words, told one by one.',
  'also delegate two:',
  '  call write: {"path": "out.txt", "content": "text"}',
  '  say: Written.',
  'say: Both are back.',
].join('\n')

await using gateway = await Gateway.create({ command: [AGENT.command, ...AGENT.args], permission: 'allow' })

const watching = async (): Promise<void> => {
  for await (const { run, event } of gateway.runtime.watch()) {
    writeSync(1, `${run.sessionId} ${event.seq} ${event.event.type}\n`)
  }
}
void watching()

const REQUESTS = [
  { provider: 'spawn', model: 'rehearsal', prompt: DELEGATES },
  { provider: 'acp', prompt: 'go' },
  { provider: 'spawn', model: 'rehearsal', prompt: 'say: A short one.', keep: true },
] as const

const lane = async (first: number): Promise<void> => {
  for (let turn = first; ; turn += 1) {
    const { prompt, ...request } = REQUESTS[turn % REQUESTS.length] ?? REQUESTS[0]
    const run = await gateway.runtime.start({
      ...request,
      cwd: process.cwd(),
      prompt: [{ type: 'text', text: prompt }],
    })
    const { sessionId, status } = await run.result
    writeSync(1, `${sessionId} settled ${status}\n`)
    // The next host starts faster, however this one ends.
    if (turn === first) flushCompileCache()
    if ('keep' in request) await gateway.runtime.close(sessionId)
  }
}

await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)))
