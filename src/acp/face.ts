/** The ACP face: one editor's connection, served from the runtime by the official SDK. */
import { randomUUID } from 'node:crypto'
import * as acp from '@agentclientprotocol/sdk/unstable'
import type { JsonObject } from '../contract/json.ts'
import type { Logger } from '../contract/logger.ts'
import type { PromptControls, SessionControls } from '../contract/request-schema.ts'
import { onlyCancel, providerFault, rpcFault, unknownSession } from './errors.ts'
import type { FaceHost } from './host.ts'
import { initializeResponse } from './initialize.ts'
import {
  clientCapabilitiesOf,
  readNewSession,
  readPrompt,
  readSessionId,
  takesOf,
  unknownMode,
} from './params.ts'
import type { Takes } from './params.ts'
import { FaceSession } from './session.ts'
import { currentTurn } from './turn.ts'

export interface FaceOptions {
  readonly host: FaceHost
  readonly provider: string
  /** Asked for by whoever started the face; a session's or prompt's own `_meta.subgate` goes before it. */
  readonly controls?: SessionControls & Pick<PromptControls, 'limits'>
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
  const { provider, log, host } = options
  const sessions = new Map<string, FaceSession>()
  let takes: Takes = { notices: false, echoes: false }
  let clientCapabilities: JsonObject = {}

  const sessionOf = (id: string): FaceSession => {
    const session = sessions.get(id)
    if (session !== undefined) return session
    throw [...sessions.values()].some(({ children }) => children.knows(id))
      ? onlyCancel(id)
      : unknownSession(id)
  }

  const answered = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw rpcFault(error, provider)
    }
  }

  /** Gated here, so that an editor learns what is refused before it has a session. */
  const open = async (params: unknown): Promise<acp.NewSessionResponse> => {
    const request = { provider, ...readNewSession(params, options.controls ?? {}) }
    await host.runtime.check(await host.rootRequest({ ...request, prompt: PLACEHOLDER }))
    const id = `ses_${randomUUID().replaceAll('-', '').slice(0, 20)}`
    const { client } = connection
    sessions.set(id, new FaceSession({ id, request, host, client, takes, clientCapabilities, log }))
    return { sessionId: id }
  }

  const close = async (id: string): Promise<object> => {
    const session = sessionOf(id)
    sessions.delete(id)
    await session.close()
    return {}
  }

  const { agent } = acp.methods
  const connection = acp
    .agent({ name: 'subgate' })
    .onRequest(agent.initialize, raw, ({ params }) =>
      answered(() => {
        takes = takesOf(params)
        clientCapabilities = clientCapabilitiesOf(params)
        return initializeResponse(host.runtime.providers.get(provider).provider)
      }),
    )
    // Untyped from here on: the SDK's own parsing drops malformed entries without a word.
    .onRequest(agent.session.new, raw, ({ params }) => answered(() => open(params)))
    .onRequest(agent.session.prompt, raw, ({ params, signal }) =>
      answered(() => {
        const prompt = readPrompt(params)
        return sessionOf(prompt.sessionId).prompt(prompt, signal)
      }),
    )
    .onRequest(agent.session.close, raw, ({ params }) => answered(() => close(readSessionId(params))))
    .onRequest(agent.session.setMode, raw, ({ params }) =>
      answered((): object => {
        sessionOf(readSessionId(params))
        throw unknownMode(params)
      }),
    )
    .onNotification(agent.session.cancel, raw, ({ params }) => cancel(sessions, params))
    .onNotification('*', () => {})
    .connect(options.stream)

  return {
    closed: connection.closed,
    get openQuestions() {
      return [...sessions.values()].reduce((count, session) => count + session.openQuestions, 0)
    },
    fault: (error) => {
      const turns = [...sessions.values()].flatMap(({ turn }) => turn ?? [])
      const turn = currentTurn.getStore() ?? (turns.length === 1 ? turns[0] : undefined)
      log.error({ error }, 'an error that nobody caught')
      turn?.fail(providerFault(error, provider))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...sessions.values()].map((session) => session.close()))
      sessions.clear()
      connection.close()
    },
  }
}

/** A check needs a prompt, and knows none yet. */
const PLACEHOLDER: acp.ContentBlock[] = [{ type: 'text', text: '' }]

/** Twice, late, or for a session that isn't there: silence (C07). */
const cancel = (sessions: ReadonlyMap<string, FaceSession>, params: unknown): void => {
  try {
    const id = readSessionId(params)
    for (const { children } of sessions.values()) children.cancel(id)
    sessions.get(id)?.cancel()
  } catch {
    // A notification has no answer, so a malformed one has none either.
  }
}
