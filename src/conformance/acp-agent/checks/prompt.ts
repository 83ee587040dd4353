/** Checks of sessions and turns: what is taken, what comes back, and what isn't called. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hold, shown } from '../../failure.ts'
import type { Conversation } from '../conversation.ts'
import { updateOf } from '../message.ts'
import type { Heard } from '../message.ts'
import { endsWell, isValid, signedIn, textBlock } from '../scene.ts'
import type { Checks, Scene } from '../scene.ts'

/** One transparent point. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
/** A head without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const promptWith = async (scene: Scene, blocks: readonly object[], more: object = {}): Promise<void> => {
  const prompt = [textBlock(scene.settings.texts.hello), ...blocks]
  await scene.talk(({ conversation, sessionId }) => endsWell(conversation, sessionId, prompt, more))
}

interface Turn {
  readonly conversation: Conversation
  /** All messages of a handshake, a session and a turn, however it ended. */
  readonly heard: readonly Heard[]
  readonly sessionId: string
}

const turn = (scene: Scene): Promise<Turn> =>
  scene.once('turn', async () => {
    const { conversation, sessionId } = await scene.opened()
    await scene.spoken(conversation, sessionId, scene.settings.texts.hello)
    return { conversation, heard: conversation.heard, sessionId }
  })

const callsNone = async (scene: Scene, pattern: RegExp): Promise<void> => {
  const { conversation } = await scene.once('files', async () => {
    const opened = await scene.opened()
    await scene.spoken(opened.conversation, opened.sessionId, scene.settings.texts.files)
    return opened
  })
  const called = conversation.requests().find(({ method = '' }) => pattern.test(method))
  hold(called === undefined, 'no call of a method that was not offered', shown(called?.text))
}

export const PROMPT: Checks = {
  'ACP-SCHEMA-001': async (scene) => {
    for (const message of (await turn(scene)).heard) {
      const faults = scene.schema.faults(message)
      hold(faults.length === 0, 'valid messages', `${faults.join('; ')} in ${shown(message.text)}`)
    }
  },
  'ACP-SCHEMA-002': async (scene) => {
    for (const message of (await turn(scene)).heard) {
      const keys = scene.schema.unknownKeys(message)
      hold(
        keys.length === 0,
        'no root keys but those of the schema',
        `${keys.join(', ')} in ${shown(message.text)}`,
      )
    }
  },
  'ACP-SESSION-001': async (scene) => {
    const conversation = await scene.initialized()
    const answer = await conversation.request('session/new', conversation.sessionParams())
    const { sessionId } = isValid(scene.schema, answer)
    hold(typeof sessionId === 'string' && sessionId !== '', 'a session id', shown(sessionId))
  },
  'ACP-SESSION-002': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    const second = await scene.session(conversation)
    hold(second !== sessionId, 'another id than the first', shown(second))
  },
  'ACP-PROMPT-001': (scene) => promptWith(scene, []),
  'ACP-PROMPT-002': async (scene) => {
    const { heard, sessionId } = await turn(scene)
    for (const message of heard) {
      const update = updateOf(message)
      if (update === undefined) continue
      hold(update.sessionId === sessionId, `updates of ${sessionId} alone`, shown(message.text))
      const faults = scene.schema.faults(message)
      hold(faults.length === 0, 'valid updates', `${faults.join('; ')} in ${shown(message.text)}`)
    }
  },
  'ACP-PROMPT-003': async (scene) => {
    const uri = pathToFileURL(join(scene.settings.cwd, 'notes.txt')).href
    await promptWith(scene, [{ type: 'resource_link', uri, name: 'notes.txt' }])
  },
  'ACP-META-001': async (scene) => {
    await promptWith(scene, [textBlock('Again.')], { _meta: { traceparent: TRACE } })
  },
  'ACP-ADDDIRS-001': async (scene) => {
    const conversation = await scene.initialized()
    const params = conversation.sessionParams({ additionalDirectories: [await scene.folder()] })
    const answer = await conversation.request('session/new', params)
    signedIn(answer)
    isValid(scene.schema, answer)
  },
  'ACP-PROMPTCAP-001': (scene) => promptWith(scene, [{ type: 'image', data: PNG, mimeType: 'image/png' }]),
  'ACP-PROMPTCAP-002': (scene) => promptWith(scene, [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]),
  'ACP-PROMPTCAP-003': (scene) => {
    const uri = pathToFileURL(join(scene.settings.cwd, 'notes.txt')).href
    return promptWith(scene, [
      { type: 'resource', resource: { uri, text: 'A note.', mimeType: 'text/plain' } },
    ])
  },
  'ACP-CLIENTCAP-001': (scene) => callsNone(scene, /^fs\//u),
  'ACP-CLIENTCAP-002': (scene) => callsNone(scene, /^terminal\//u),
  'ACP-CLIENTCAP-003': (scene) => callsNone(scene, /^elicitation\//u),
}
