/** Checks of children as sessions of their own: announced first, seen only by who takes them, cancelled one by one. */
import { hold, shown } from '../../failure.ts'
import type { Conversation } from '../conversation.ts'
import { stopReasonOf, updateOf } from '../message.ts'
import type { Heard } from '../message.ts'
import { NotTested } from '../outcome.ts'
import { textBlock } from '../scene.ts'
import type { Checks, Scene } from '../scene.ts'
import { announcedIn, idsNamedBy, isChildMark, statesOf } from '../children.ts'
import type { Announcement } from '../children.ts'
import { reopen } from './history.ts'

const TAKES_CHILDREN = { subagents: {} }

interface Delegated {
  readonly conversation: Conversation
  readonly sessionId: string
}

/** A turn that delegated, and has ended. */
const delegated = async (scene: Scene, clientCapabilities: object): Promise<Delegated> => {
  const { conversation, sessionId } = await scene.opened(clientCapabilities)
  await scene.spoken(conversation, sessionId, scene.settings.texts.delegate ?? '')
  await conversation.quiet()
  return { conversation, sessionId }
}

const children = (heard: readonly Heard[]): readonly Announcement[] => {
  const found = announcedIn(heard)
  if (found.length === 0)
    throw new NotTested(
      'The agent announced no child. Name a prompt that makes it delegate with --delegate-prompt.',
    )
  return found
}

/** What names a session that is neither the client's own nor announced before. */
const unannounced = (heard: readonly Heard[], own: string): Heard | undefined => {
  const known = new Set<unknown>([own])
  for (const message of heard) {
    const update = updateOf(message)
    const isAnnouncement = update?.update['sessionUpdate'] === 'subagent_update'
    if (isAnnouncement && known.has(update.sessionId)) known.add(update.update['sessionId'])
    if (idsNamedBy(message).some((id) => !known.has(id))) return message
  }
  return undefined
}

const cancelOne = async (scene: Scene): Promise<void> => {
  const { conversation, sessionId } = await scene.opened(TAKES_CHILDREN)
  const { delegateLong, delegate = '' } = scene.settings.texts
  const prompt = [textBlock(delegateLong ?? delegate)]
  const mark = conversation.heard.length
  conversation.request('session/prompt', { sessionId, prompt }).catch(() => undefined)
  const ended = (): Heard | undefined =>
    conversation.heard.slice(mark).find(({ answers }) => answers === 'session/prompt')
  const child = await conversation.until(() => {
    const cancellable = announcedIn(conversation.heard).filter((one) => one.cancel)
    const running = cancellable.find(
      ({ id }) => statesOf(conversation.heard, id).at(-1)?.['state'] === 'running',
    )
    return running ?? (ended() === undefined ? undefined : null)
  })
  if (child === undefined || child === null)
    throw new NotTested(
      'No child that may be cancelled was seen running. Name a prompt with children that take long with --delegate-long-prompt.',
    )
  conversation.notify('session/cancel', { sessionId: child.id })
  const idle = await conversation.until(() =>
    statesOf(conversation.heard, child.id).find((one) => one['state'] === 'idle'),
  )
  hold(idle?.['stopReason'] === 'cancelled', 'the child idle, with the stop reason cancelled', shown(idle))
  await conversation.quiet()
  const end = ended()
  hold(end === undefined || stopReasonOf(end) !== 'cancelled', "the parent's turn to go on", shown(end?.text))
  const kin = new Set([child.id, ...descendants(conversation.heard, child.id)])
  for (const { id } of announcedIn(conversation.heard)) {
    const last = statesOf(conversation.heard, id).at(-1)
    hold(
      kin.has(id) || last?.['stopReason'] !== 'cancelled',
      `its sibling ${shown(id)} to go on`,
      shown(last),
    )
  }
}

const descendants = (heard: readonly Heard[], id: unknown): readonly unknown[] =>
  announcedIn(heard)
    .filter(({ parent }) => parent === id)
    .flatMap((child) => [child.id, ...descendants(heard, child.id)])

const reloaded = async (
  scene: Scene,
): Promise<{
  readonly before: readonly Announcement[]
  readonly after: readonly Heard[]
  readonly sessionId: string
}> => {
  const { conversation, sessionId } = await delegated(scene, TAKES_CHILDREN)
  const before = children(conversation.heard)
  const mark = conversation.heard.length
  const { answer } = await reopen(conversation, 'session/load', sessionId)
  if (answer.error !== undefined) throw new NotTested(`session/load failed: ${shown(answer.error)}`)
  await conversation.quiet()
  return { before, after: conversation.heard.slice(mark), sessionId }
}

export const SUBAGENTS: Checks = {
  'SUBGATE-SUBAGENT-001': async (scene) => {
    const { conversation, sessionId } = await delegated(scene, TAKES_CHILDREN)
    const wrong = unannounced(conversation.heard, sessionId)
    hold(wrong === undefined, 'an announcement before any traffic of a child', shown(wrong?.text))
    children(conversation.heard)
  },
  'SUBGATE-SUBAGENT-002': async (scene) => {
    const { conversation, sessionId } = await delegated(scene, {})
    const wrong = conversation.heard.find(
      (message) => isChildMark(message) || idsNamedBy(message).some((id) => id !== sessionId),
    )
    hold(wrong === undefined, 'nothing of a child', shown(wrong?.text))
  },
  'SUBGATE-SUBAGENT-003': async (scene) => {
    const { conversation } = await delegated(scene, TAKES_CHILDREN)
    for (const { id } of children(conversation.heard)) {
      const last = (): unknown => statesOf(conversation.heard, id).at(-1)?.['state']
      await conversation.until(() => (last() === 'idle' ? true : undefined))
      const states = statesOf(conversation.heard, id).map(({ state }) => state)
      const first = states.find((state) => state === 'running' || state === 'idle')
      hold(first === 'running', `${shown(id)} running first`, shown(states))
      hold(states.at(-1) === 'idle', `${shown(id)} idle in the end`, shown(states))
    }
  },
  'SUBGATE-SUBAGENT-004': cancelOne,
  'SUBGATE-SUBAGENT-005': async (scene) => {
    const { after, sessionId } = await reloaded(scene)
    const wrong = unannounced(after, sessionId)
    hold(wrong === undefined, 'a new announcement before any traffic of a child', shown(wrong?.text))
  },
  'SUBGATE-SUBAGENT-006': async (scene) => {
    const { before, after } = await reloaded(scene)
    const again = new Set(announcedIn(after).map(({ id }) => id))
    const missing = before.map(({ id }) => id).filter((id) => !again.has(id))
    hold(missing.length === 0, 'every child again', `none of ${shown(missing)}`)
  },
}
