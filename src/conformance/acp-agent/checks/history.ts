/** Checks of earlier sessions: load, resume, list and delete. */
import { isRecord } from '../../../contract/json.ts'
import { hold, shown } from '../../failure.ts'
import type { Conversation } from '../conversation.ts'
import { textIn } from '../message.ts'
import type { Heard, Update } from '../message.ts'
import { NotTested } from '../outcome.ts'
import { isValid } from '../scene.ts'
import type { Checks, Scene } from '../scene.ts'

const SPOKEN: readonly unknown[] = ['user_message_chunk', 'agent_message_chunk', 'agent_thought_chunk']
const HISTORY: ReadonlySet<unknown> = new Set([...SPOKEN, 'tool_call', 'tool_call_update', 'plan'])

interface Reopened {
  readonly conversation: Conversation
  readonly sessionId: string
  readonly answer: Heard
  /** What came for the session between the request and its response. */
  readonly replay: readonly Update[]
  /** Index of the response in what was heard. */
  readonly at: number
}

/** A session with one turn, taken up again, and all that follows. */
const reopened = (scene: Scene, method: 'session/load' | 'session/resume'): Promise<Reopened> =>
  scene.once(method, async () => {
    const { conversation, sessionId } = await scene.opened()
    await scene.spoken(conversation, sessionId, scene.settings.texts.hello)
    const found = await reopen(conversation, method, sessionId)
    // Later there may be another conversation on the process.
    if (scene.settings.reuse) await conversation.quiet()
    return found
  })

/** The same, where taking it up is only the way to something else. */
const prepared = async (scene: Scene, method: 'session/load' | 'session/resume'): Promise<Reopened> => {
  const found = await reopened(scene, method)
  const { error } = found.answer
  if (error !== undefined) throw new NotTested(`${method} failed: ${shown(error)}`)
  return found
}

export const reopen = async (
  conversation: Conversation,
  method: 'session/load' | 'session/resume',
  sessionId: string,
): Promise<Reopened> => {
  // What the first turn still has to say is said before.
  await conversation.quiet()
  const mark = conversation.heard.length
  const answer = await conversation.request(method, conversation.sessionParams({ sessionId }))
  const at = conversation.heard.indexOf(answer)
  const replay = conversation
    .updates(mark)
    .slice(0, conversation.updates(mark).length - conversation.updates(at).length)
    .filter((update) => update.sessionId === sessionId)
  return { conversation, sessionId, answer, replay, at }
}

const isHistory = ({ update }: Update): boolean => HISTORY.has(update['sessionUpdate'])

/** Some agents answer null; ACP-LOAD-003 advises against it. */
const isTakenUp = (scene: Scene, answer: Heard): void => {
  if (answer.error === undefined && answer.result === null) return
  isValid(scene.schema, answer)
}

const listed = async (
  conversation: Conversation,
  scene: Scene,
  params: object,
): Promise<readonly unknown[]> => {
  const { sessions } = isValid(scene.schema, await conversation.request('session/list', params))
  hold(Array.isArray(sessions), 'an array of sessions', shown(sessions))
  return sessions
}

export const HISTORY_CHECKS: Checks = {
  'ACP-LOAD-001': async (scene) => isTakenUp(scene, (await reopened(scene, 'session/load')).answer),
  'ACP-LOAD-002': async (scene) => {
    const { conversation, sessionId, at } = await prepared(scene, 'session/load')
    await conversation.quiet()
    const late = conversation.updates(at).find((one) => one.sessionId === sessionId && isHistory(one))
    hold(late === undefined, 'no replay after the response', shown(late))
  },
  'ACP-LOAD-003': async (scene) => {
    const { answer } = await prepared(scene, 'session/load')
    hold(isRecord(answer.result), 'an object', shown(answer.result))
  },
  'SUBGATE-LOAD-001': async (scene) => {
    const { replay } = await prepared(scene, 'session/load')
    const asked = textIn(replay, 'user_message_chunk')
    hold(asked.includes(scene.settings.texts.hello), 'the prompt in the replay', shown(replay))
    hold(textIn(replay, 'agent_message_chunk').trim() !== '', 'the answer in the replay', shown(replay))
  },
  'SUBGATE-LOAD-002': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    await scene.spoken(conversation, sessionId, scene.settings.texts.hello)
    await conversation.leave()
    const second = await scene.initialized()
    isTakenUp(scene, await second.request('session/load', second.sessionParams({ sessionId })))
  },
  'ACP-RESUME-001': async (scene) => {
    isTakenUp(scene, (await reopened(scene, 'session/resume')).answer)
  },
  'ACP-RESUME-002': async (scene) => {
    const { replay } = await prepared(scene, 'session/resume')
    const said = replay.find(({ update }) => SPOKEN.includes(update['sessionUpdate']))
    hold(said === undefined, 'no history', shown(said))
  },
  'ACP-LIST-001': async (scene) => {
    const { conversation } = await scene.opened()
    await listed(conversation, scene, {})
  },
  'ACP-LIST-002': async (scene) => {
    const conversation = await scene.initialized()
    const sessions = await listed(conversation, scene, { cwd: await scene.folder() })
    hold(sessions.length === 0, 'an empty list', shown(sessions))
  },
  'ACP-DELETE-001': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    isValid(scene.schema, await conversation.request('session/delete', { sessionId }))
  },
  'ACP-DELETE-002': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    for (const id of ['no-such-session', sessionId, sessionId]) {
      const { error } = await conversation.request('session/delete', { sessionId: id })
      hold(error === undefined, 'success, however often it is asked', shown(error))
    }
  },
}
