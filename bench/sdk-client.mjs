/** The same client on the official SDK. `node sdk-client.mjs PROMPT COMMAND…` */
import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'

const [prompt, command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
const { agent } = acp
  .client({ name: 'bench' })
  .onNotification(acp.methods.client.session.update, ({ params }) => {
    process.stdout.write(params.update.content.text)
  })
  .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)))

const { session } = acp.methods.agent
await agent.request(acp.methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
const { sessionId } = await agent.request(session.new, { cwd: process.cwd(), mcpServers: [] })
await agent.request(session.prompt, { sessionId, prompt: [{ type: 'text', text: prompt }] })
child.stdin.end()
