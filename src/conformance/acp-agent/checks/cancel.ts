/** Checks of turns that are ended early, by a cancel or by closing their session. */
import { hold, shown, Unmet } from '../../failure.ts'
import type { Conversation } from '../conversation.ts'
import { STOP_REASONS, stopReasonOf } from '../message.ts'
import type { Heard } from '../message.ts'
import { NotTested } from '../outcome.ts'
import { isValid, signedIn, textBlock } from '../scene.ts'
import type { Checks, Scene } from '../scene.ts'

const TOO_EARLY =
  'The turn ended by itself before it could be cancelled. Name a prompt that takes longer with --cancel-prompt.'

interface OpenTurn {
  readonly sessionId: string
  readonly answer: Promise<Heard>
}

/** A turn that runs: its first update has come, or should have come by now. */
const openTurn = async (
  { settings }: Scene,
  conversation: Conversation,
  sessionId: string,
): Promise<OpenTurn> => {
  const mark = conversation.heard.length
  const answer = conversation.request('session/prompt', {
    sessionId,
    prompt: [textBlock(settings.texts.cancel)],
  })
  answer.catch(() => undefined)
  const ended = (): Heard | undefined =>
    conversation.heard.slice(mark).find(({ answers }) => answers === 'session/prompt')
  const begun = () => conversation.updates(mark).find((update) => update.sessionId === sessionId) ?? ended()
  await conversation.until(begun, settings.firstUpdateMs)
  const early = ended()
  if (early !== undefined) {
    signedIn(early)
    throw new NotTested(TOO_EARLY)
  }
  return { sessionId, answer }
}

/** The answer of a turn that was ended early; it says so. */
const endsCancelled = async (
  scene: Scene,
  conversation: Conversation,
  answer: Promise<Heard>,
): Promise<void> => {
  const end = (): Heard | undefined => conversation.heard.find(({ answers }) => answers === 'session/prompt')
  const soon = await conversation.until(end, scene.settings.quietMs)
  const heard = soon ?? (await answer)
  hold(heard.error === undefined, 'the stop reason cancelled', shown(heard.error))
  const reason = stopReasonOf(heard)
  // It may have ended by itself at the very moment.
  if (soon !== undefined && reason !== 'cancelled' && STOP_REASONS.includes(reason))
    throw new NotTested(`${TOO_EARLY} (It ended with ${shown(reason)}.)`)
  hold(reason === 'cancelled', 'the stop reason cancelled', shown(heard.result))
}

const cancelled = (
  scene: Scene,
): Promise<{ readonly conversation: Conversation; readonly sessionId: string }> =>
  scene.once('cancelled', async () => {
    const { conversation, sessionId } = await scene.opened()
    const { answer } = await openTurn(scene, conversation, sessionId)
    conversation.cancelled = true
    conversation.notify('session/cancel', { sessionId })
    await endsCancelled(scene, conversation, answer)
    // Later there may be another conversation on the process.
    if (scene.settings.reuse) await conversation.quiet()
    return { conversation, sessionId }
  })

export const CANCEL: Checks = {
  'ACP-CANCEL-001': async (scene) => void (await cancelled(scene)),
  'ACP-CANCEL-002': async (scene) => {
    const { conversation, sessionId } = await cancelled(scene).catch((error: unknown) => {
      throw error instanceof Unmet ? new NotTested(`The turn was not cancelled: ${error.message}`) : error
    })
    const end = conversation.heard.findLastIndex(({ answers }) => answers === 'session/prompt')
    await conversation.quiet()
    const late = conversation.updates(end + 1).find((update) => update.sessionId === sessionId)
    hold(late === undefined, 'no update after the end of the turn', shown(late))
  },
  'ACP-CLOSE-001': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    isValid(scene.schema, await conversation.request('session/close', { sessionId }))
  },
  'ACP-CLOSE-002': async (scene) => {
    const { conversation, sessionId } = await scene.opened()
    const { answer } = await openTurn(scene, conversation, sessionId)
    conversation.cancelled = true
    // Its answer is the matter of ACP-CLOSE-001.
    conversation.request('session/close', { sessionId }).catch(() => undefined)
    await endsCancelled(scene, conversation, answer)
  },
}
