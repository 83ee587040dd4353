/** Checks of initialize, and of what it says about signing in. */
import { isRecord } from '../../../contract/json.ts'
import { hold, shown } from '../../failure.ts'
import type { Conversation } from '../conversation.ts'
import { AUTH_REQUIRED } from '../facts.ts'
import type { Heard } from '../message.ts'
import { NotTested } from '../outcome.ts'
import { isValid } from '../scene.ts'
import type { Checks, Scene } from '../scene.ts'

const methodsOf = (scene: Scene): readonly Readonly<Record<string, unknown>>[] =>
  scene.facts.authMethods.filter(isRecord)

/** A fresh process, and its answer to who asks for version 1. */
const initialized = (
  scene: Scene,
): Promise<{ readonly conversation: Conversation; readonly answer: Heard }> =>
  scene.once('initialize', async () => {
    const conversation = await scene.begin()
    const answer = await conversation.request('initialize', conversation.initializeParams())
    return { conversation, answer }
  })

const versionIn = ({ result, error }: Heard): unknown => {
  hold(error === undefined, 'a result', shown(error))
  return isRecord(result) ? result['protocolVersion'] : undefined
}

export const HANDSHAKE: Checks = {
  'ACP-INIT-001': async (scene) => {
    const { answer } = await initialized(scene)
    const { protocolVersion } = isValid(scene.schema, answer)
    hold(Number.isInteger(protocolVersion), 'a whole protocolVersion', shown(protocolVersion))
  },
  'ACP-INIT-002': async (scene) => {
    const version = versionIn((await initialized(scene)).answer)
    hold(version === 1, 'version 1', shown(version))
  },
  'ACP-INIT-003': async (scene) => {
    const usual = versionIn((await initialized(scene)).answer)
    const conversation = await scene.begin()
    const params = {
      ...conversation.initializeParams(),
      protocolVersion: 65_535,
      info: { name: 'subgate-conformance', version: '1' },
      capabilities: {},
    }
    const version = versionIn(await conversation.request('initialize', params))
    hold(Number.isInteger(version) && version !== 65_535, 'a version of its own', shown(version))
    hold(Number(version) >= Number(usual), `at least ${shown(usual)}`, shown(version))
  },
  'ACP-INIT-004': async (scene) => {
    const { name, version } = scene.facts
    hold(
      name !== undefined && version !== undefined,
      'agentInfo with a name and a version',
      shown(scene.facts),
    )
  },
  'ACP-AUTH-001': async (scene) => {
    const ids = methodsOf(scene).map(({ id }) => id)
    hold(new Set(ids).size === ids.length, 'distinct ids', shown(ids))
  },
  'ACP-AUTH-002': async (scene) => {
    const found = methodsOf(scene).find(({ type }) => type === 'terminal')
    hold(found === undefined, 'no method of the type terminal', shown(found))
  },
  'ACP-AUTH-003': async (scene) => {
    const conversation = await scene.initialized()
    const { authMethod } = scene.settings
    isValid(scene.schema, await conversation.request('authenticate', { methodId: authMethod }))
    const { error } = await conversation.request('session/new', conversation.sessionParams())
    hold(error?.code !== AUTH_REQUIRED, 'a session after the sign-in', shown(error))
  },
  'ACP-AUTH-004': async (scene) => {
    const conversation = await scene.initialized()
    isValid(scene.schema, await conversation.request('logout', {}))
  },
  'ACP-AUTH-005': async (scene) => {
    if (scene.facts.authMethods.length > 0) return
    const conversation = await scene.initialized()
    const { error } = await conversation.request('session/new', conversation.sessionParams())
    hold(error?.code !== AUTH_REQUIRED, 'a session, as there is no method to sign in with', shown(error))
  },
  'ACP-ERROR-001': async (scene) => {
    const conversation = await scene.initialized()
    const wrong: readonly (readonly [string, object])[] = [
      ['_tck/does_not_exist', {}],
      ['session/new', {}],
      ['session/prompt', { sessionId: 'no-such-session', prompt: [] }],
    ]
    for (const [method, params] of wrong) await conversation.request(method, params)
    const errors = conversation.heard.flatMap(({ error }) => error ?? [])
    if (errors.length === 0) throw new NotTested('The agent gave no error to anything.')
    for (const { message } of errors)
      hold(
        typeof message === 'string' && /^[^\r\n]*\S[^\r\n]*$/u.test(message),
        'a message of one line',
        shown(message),
      )
  },
  'ACP-SHUTDOWN-001': async (scene) => {
    const { conversation } = await scene.opened()
    const left = await conversation.leave()
    hold(
      left,
      `an end within ${scene.settings.closeGraceMs / 1000} s after stdin was closed`,
      'a process that runs on',
    )
  },
}
