/** The example agent on the official SDK: several sessions in one process, one turn at a time in each. */
import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { perform } from './perform.ts'
import { Turn } from './turn.ts'
import type { Session } from './turn.ts'

interface OpenSession extends Session {
  turn?: { readonly abort: AbortController; readonly done: Promise<unknown> }
}

const WINDOW = 200_000

/** Serves until the client closes stdin. */
export const serve = async (options: { readonly requireLogin: boolean }): Promise<void> => {
  const sessions = new Map<string, OpenSession>()
  let signedIn = !options.requireLogin

  const sessionOf = (id: string): OpenSession => {
    const session = sessions.get(id)
    if (session === undefined) throw acp.RequestError.sessionNotFound(id)
    return session
  }

  const end = async (session: OpenSession): Promise<void> => {
    session.turn?.abort.abort()
    await session.turn?.done.catch(() => undefined)
  }

  const { agent } = acp.methods
  const connection = acp
    .agent({ name: 'subgate-example-agent' })
    .onRequest(agent.initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: 'subgate-example-agent', title: 'Subgate example agent', version: '1.0.0' },
      agentCapabilities: {
        promptCapabilities: { image: false, audio: false, embeddedContext: false },
        sessionCapabilities: { additionalDirectories: {}, close: {} },
      },
      authMethods: options.requireLogin ? [LOGIN] : [],
    }))
    .onRequest(agent.authenticate, ({ params }) => {
      if (!options.requireLogin || params.methodId !== LOGIN.id)
        throw acp.RequestError.invalidParams({ methodId: params.methodId }, 'no such sign-in method')
      signedIn = true
      return {}
    })
    .onRequest(agent.session.new, async ({ params }) => {
      if (!signedIn) throw acp.RequestError.authRequired({ methods: [LOGIN.id] }, LOGIN.description)
      if (params.mcpServers.length > 0)
        throw acp.RequestError.invalidParams(
          { mcpServers: 'must be empty' },
          'this agent uses no MCP servers',
        )
      const roots = [params.cwd, ...(params.additionalDirectories ?? [])]
      for (const root of roots) await folder(root, root === params.cwd ? 'cwd' : 'additionalDirectories')
      const id = randomUUID()
      sessions.set(id, { id, roots, editsAllowed: false, words: 0 })
      return { sessionId: id }
    })
    .onRequest(agent.session.prompt, async ({ params, client, signal }) => {
      const session = sessionOf(params.sessionId)
      if (session.turn !== undefined)
        throw acp.RequestError.invalidRequest(undefined, 'a turn is already running in this session')
      const abort = new AbortController()
      const turn = new Turn(client, session, AbortSignal.any([abort.signal, signal]))
      const done = answer(turn, params.prompt)
      session.turn = { abort, done }
      try {
        return await done
      } finally {
        delete session.turn
      }
    })
    .onNotification(agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.turn?.abort.abort()
    })
    .onRequest(agent.session.close, async ({ params }) => {
      await end(sessionOf(params.sessionId))
      sessions.delete(params.sessionId)
      return {}
    })
    .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))

  await connection.closed
  await Promise.all(sessions.values().map(end))
}

const LOGIN = {
  id: 'demo',
  name: 'Demo sign-in',
  description: 'Sign in with the method "demo"; it asks for nothing and lasts until the agent exits.',
}

const folder = async (path: string, field: string): Promise<void> => {
  const found = isAbsolute(path) && (await stat(path).catch(() => undefined))
  if (!found || !found.isDirectory())
    throw acp.RequestError.invalidParams({ [field]: path }, `${field} must be the absolute path of a folder`)
}

const answer = async (turn: Turn, prompt: readonly acp.ContentBlock[]): Promise<acp.PromptResponse> => {
  const { session } = turn
  const words = textOf(prompt)
  const before = session.words
  const inputTokens = words.split(/\s+/v).filter(Boolean).length
  try {
    await perform(turn, words)
    const outputTokens = session.words - before
    session.words += inputTokens
    await turn.update({ sessionUpdate: 'usage_update', used: session.words, size: WINDOW })
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
    return { stopReason: 'end_turn', usage }
  } catch (error) {
    if (turn.signal.aborted) return { stopReason: 'cancelled' }
    throw error
  }
}

/** A linked file stands in the text as its path, so that "read" and a mention make a command. */
const textOf = (prompt: readonly acp.ContentBlock[]): string =>
  prompt
    .map((block, index) => {
      switch (block.type) {
        case 'text':
          return prompt[index - 1]?.type === 'text' ? `\n${block.text}` : block.text
        case 'resource_link':
          return `"${block.uri.startsWith('file:') ? fileURLToPath(block.uri) : block.uri}"`
        default:
          throw acp.RequestError.invalidParams({ prompt: block.type }, 'only text and links are understood')
      }
    })
    .join('')
