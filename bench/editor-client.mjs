/** An editor on the official SDK. `node editor-client.mjs COUNT PAUSE_MS COMMAND…` prints what came of COUNT numbers, as JSON. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import * as acp from '@agentclientprotocol/sdk'

const [count, pauseMs, command, ...args] = process.argv.slice(2)
const expected = Number(count)
/** A slow reader stops so many times, evenly spread. */
const STOPS = 10
const every = Number(pauseMs) === 0 ? Infinity : Math.ceil(expected / STOPS)

const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })

let next = 0
let inOrder = true
let firstAt = 0
let lastAt = 0
const heard = ({ params }) => {
  const { update } = params
  const text = update.sessionUpdate === 'agent_message_chunk' ? update.content.text : ''
  if (!/^\d+ $/v.test(text)) return
  lastAt = performance.now()
  if (firstAt === 0) firstAt = lastAt
  inOrder &&= Number(text) === next
  next += 1
}

/** Bytes are handed on one piece at a time, and none while the reader stops: the pipe fills up. */
const slowly = async function* (pieces) {
  let stopped = 0
  for await (const piece of pieces) {
    if (next >= (stopped + 1) * every) {
      stopped += 1
      await sleep(Number(pauseMs))
    }
    yield piece
  }
}
const pieces = every === Infinity ? Readable.toWeb(child.stdout) : ReadableStream.from(slowly(child.stdout))

/** The kernel's own high-water mark of the program beside the editor, in KiB. */
const peakKiB = () =>
  Number(/VmHWM:\s+(\d+) kB/v.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1])

const { agent } = acp
  .client({ name: 'bench' })
  .onNotification(acp.methods.client.session.update, heard)
  .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), pieces))

const { session } = acp.methods.agent
await agent.request(acp.methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
const { sessionId } = await agent.request(session.new, { cwd: process.cwd(), mcpServers: [] })
await agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text: `${count} numbers` }] })
process.stdout.write(JSON.stringify({ heard: next, inOrder, ms: lastAt - firstAt, peakKiB: peakKiB() }))
child.stdin.end()
