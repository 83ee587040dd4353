/** The ACP face: one editor's connection, served from the runtime by the official SDK. */
import * as acp from '@agentclientprotocol/sdk/unstable'
import type { JsonObject } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import { Chats } from './chats.ts'
import type { FaceControls } from './params.ts'
import { providerFault, rpcFault } from './errors.ts'
import type { FaceHost } from './host.ts'
import { initializeResponse } from './initialize.ts'
import { chooseMode, chooseOption } from './choosing.ts'
import { clientCapabilitiesOf, readPrompt, readSessionId, takesOf } from './params.ts'
import type { Takes } from './params.ts'
import type { Served } from './served.ts'
import { authenticate } from './sign-in.ts'
import type { SignIn } from './sign-in.ts'
import { currentTurn } from './turn.ts'

export interface FaceOptions {
  readonly host: FaceHost
  readonly served: Served
  /** Asked for by whoever started the face; a session's or prompt's own `_meta.subgate` goes before it. */
  readonly controls?: FaceControls
  /** Absent: nobody can sign in by the editor. */
  readonly signIn?: SignIn
  readonly stream: acp.Stream
  readonly log: Logger
}

export interface AcpFace extends AsyncDisposable {
  /** The editor has gone, in either direction. */
  readonly closed: Promise<void>
  /** Permission requests that the editor hasn't answered. */
  readonly openQuestions: number
  /** An error that nobody caught: it fails the prompt that its code worked for. */
  fault(error: unknown): void
}

const raw = (params: unknown): unknown => params

export const serveAcp = (options: FaceOptions): AcpFace => {
  const { served, log, host, signIn = () => [] } = options
  let takes: Takes = { notices: false, echoes: false }
  let clientCapabilities: JsonObject = {}
  const chats = new Chats({
    host,
    served,
    log,
    controls: options.controls ?? {},
    client: () => connection.client,
    takes: () => takes,
    clientCapabilities: () => clientCapabilities,
  })
  const name = served.pinned ?? 'subgate'

  const answered = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw rpcFault(error, name)
    }
  }

  const { agent } = acp.methods
  const { session } = agent
  const connection = acp
    .agent({ name: 'subgate' })
    // Untyped throughout: the SDK's own parsing drops malformed entries without a word.
    .onRequest(agent.initialize, raw, ({ params }) =>
      answered(async () => {
        takes = takesOf(params)
        clientCapabilities = clientCapabilitiesOf(params)
        const { provider } = host.runtime.providers.get(await served.choose())
        return initializeResponse(provider, served.pinned, signIn(clientCapabilities))
      }),
    )
    .onRequest(agent.authenticate, raw, ({ params }) =>
      answered(() => authenticate(signIn(clientCapabilities), params)),
    )
    .onRequest(session.new, raw, ({ params }) => answered(() => chats.create(params)))
    .onRequest(session.load, raw, ({ params }) => answered(() => chats.load(params)))
    .onRequest(session.resume, raw, ({ params }) => answered(() => chats.resume(params)))
    .onRequest(session.fork, raw, ({ params }) => answered(() => chats.fork(params)))
    .onRequest(session.list, raw, ({ params }) => answered(() => chats.list(params)))
    .onRequest(session.delete, raw, ({ params }) => answered(() => chats.delete(readSessionId(params))))
    .onRequest(session.close, raw, ({ params }) => answered(() => chats.close(readSessionId(params))))
    .onRequest(session.prompt, raw, ({ params, signal }) =>
      answered(() => {
        const prompt = readPrompt(params)
        return chats.get(prompt.sessionId).prompt(prompt, signal)
      }),
    )
    .onRequest(session.setMode, raw, ({ params }) =>
      answered(() => chooseMode(chats.get(readSessionId(params)), params)),
    )
    .onRequest(session.setConfigOption, raw, ({ params }) =>
      answered(() => {
        const chat = chats.get(readSessionId(params))
        return chooseOption(chat, params, () => chats.check(chat))
      }),
    )
    .onNotification(session.cancel, raw, ({ params }) => cancel(chats, params))
    .onNotification('*', () => {})
    .connect(options.stream)

  return {
    closed: connection.closed,
    get openQuestions() {
      return chats.open.reduce((count, chat) => count + chat.openQuestions, 0)
    },
    fault: (error) => {
      const turns = chats.open.flatMap(({ turn }) => turn ?? [])
      const turn = currentTurn.getStore() ?? (turns.length === 1 ? turns[0] : undefined)
      log.error({ error }, 'an error that nobody caught')
      turn?.fail(providerFault(error, name))
    },
    async [Symbol.asyncDispose]() {
      await chats[Symbol.asyncDispose]()
      connection.close()
    },
  }
}

/** Twice, late, or for a session that isn't there: silence (C07). */
const cancel = (chats: Chats, params: unknown): void => {
  try {
    const id = readSessionId(params)
    for (const { children } of chats.open) children.cancel(id)
    chats.find(id)?.cancel()
  } catch {
    // A notification has no answer, so a malformed one has none either.
  }
}
