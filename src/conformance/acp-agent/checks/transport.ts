/** Checks of the lines themselves, and of JSON-RPC. */
import { hold, shown } from '../../failure.ts'
import type { Conversation } from '../conversation.ts'
import { NotTested } from '../outcome.ts'
import { isRecord } from '../../../contract/json.ts'
import { signedIn, textBlock } from '../scene.ts'
import type { Checks, Scene } from '../scene.ts'

export const UNKNOWN_METHOD = '_tck/does_not_exist'
const UNICODE = 'ünï-漢 𝕏'

/** A whole life: a turn, and the end of its input. */
const life = async (scene: Scene, text: string): Promise<Conversation> => {
  const { conversation } = await scene.once(`life ${text}`, async () => {
    const opened = await scene.opened()
    await scene.spoken(opened.conversation, opened.sessionId, text)
    await opened.conversation.leave()
    return opened
  })
  return conversation
}

const echoes = async (scene: Scene, id: number | string): Promise<void> => {
  const conversation = await scene.initialized()
  const answer = conversation.request('session/new', conversation.sessionParams(), id)
  const stray = await conversation.until(() =>
    conversation.heard.find((heard) => heard.kind === 'response' && (heard.id === id || isStray(heard.id))),
  )
  if (stray !== undefined && stray.id !== id) {
    void answer.catch(() => undefined)
    hold(false, `the id ${shown(id)}`, shown(stray.id))
  }
  await answer
}

/** Not the one response before, that of initialize. */
const isStray = (id: unknown): boolean => id !== 1 && id !== null

export const TRANSPORT: Checks = {
  'ACP-TRANSPORT-001': async (scene) => {
    const { heard } = await life(scene, scene.settings.texts.hello)
    const noise = heard.find(({ kind }) => kind === 'noise')
    hold(noise === undefined, 'JSON-RPC messages alone', shown(noise?.text))
  },
  'ACP-TRANSPORT-002': async (scene) => {
    const { utf8 } = await life(scene, UNICODE)
    hold(utf8, 'UTF-8', 'bytes that are none')
  },
  'ACP-JSONRPC-001': async (scene) => {
    await echoes(scene, 7001)
    await echoes(scene, 'seven-thousand-and-two')
  },
  'ACP-JSONRPC-002': async (scene) => {
    const heard = await scene.talk(async ({ conversation, sessionId }) => {
      await scene.spoken(conversation, sessionId, scene.settings.texts.hello)
      await conversation.request(UNKNOWN_METHOD, {})
      return [...conversation.heard]
    })
    for (const { kind, value, text } of heard) {
      if (kind !== 'response' || !isRecord(value)) continue
      hold('result' in value !== 'error' in value, 'either a result or an error', shown(text))
      if (!('error' in value)) continue
      const error = isRecord(value['error']) ? value['error'] : {}
      const formed = Number.isInteger(error['code']) && typeof error['message'] === 'string'
      hold(formed, 'an error with a whole code and a message', shown(text))
    }
  },
  'ACP-JSONRPC-003': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    const mark = conversation.heard.length
    conversation.notify('session/cancel', { sessionId })
    const answer = (await conversation.quiet(mark)).find(({ kind }) => kind === 'response')
    hold(answer === undefined, 'no response to a notification', shown(answer?.text))
  },
  'ACP-JSONRPC-004': async (scene) => {
    const conversation = await scene.initialized()
    const { error, result } = await conversation.request(UNKNOWN_METHOD, {})
    hold(error?.code === -32601, 'the error -32601', shown(error ?? result))
  },
  'ACP-JSONRPC-005': async (scene) => {
    const conversation = await scene.initialized()
    const { error } = await conversation.request(UNKNOWN_METHOD, {})
    if (error === undefined) throw new NotTested('The agent gave no error to an unknown method.')
    const after = await conversation.request('session/new', conversation.sessionParams())
    signedIn(after)
    hold(after.error === undefined, 'a session after the error', shown(after.error))
  },
  'ACP-EXT-001': async (scene) => {
    const conversation = await scene.initialized()
    await conversation.request('_custom', { anything: true })
  },
  'ACP-INFO-PARSE-001': (scene) => reply(scene, '{nope'),
  'ACP-INFO-INVALIDREQ-001': (scene) => reply(scene, '{"foo":"bar"}'),
  'ACP-INFO-UNKNOWNSESSION-001': async (scene) => {
    const conversation = await scene.initialized()
    const params = { sessionId: 'no-such-session', prompt: [textBlock(scene.settings.texts.hello)] }
    const { error, result } = await conversation.request('session/prompt', params)
    return shown(error ?? result)
  },
  'ACP-STDERR-001': async (scene) => {
    const conversation = await life(scene, scene.settings.texts.hello)
    return `${Buffer.byteLength(conversation.stderr())} bytes`
  },
}

const reply = async (scene: Scene, line: string): Promise<string> => {
  const conversation = await scene.initialized()
  const mark = conversation.heard.length
  conversation.raw(line)
  const answers = await conversation.quiet(mark)
  return answers.map(({ text }) => text).join(' ') || 'nothing'
}
