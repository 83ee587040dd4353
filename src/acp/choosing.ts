/** What an editor's person chooses in a chat: an option, or a mode, which is an option as well. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { isRecord } from '../contract/json.ts'
import type { Chat } from './chat.ts'
import { unknownMode } from './params.ts'
import type { Chosen } from './options.ts'

/** Answers all options; what the agent refuses, or couldn't be held to, stays as it was. */
export const chooseOption = async (
  chat: Chat,
  params: unknown,
  check: () => Promise<void>,
): Promise<acp.SetSessionConfigOptionResponse> => {
  const { configId, value } = isRecord(params) ? params : {}
  const { choices, states } = chat.options
  const chosen = choices.read(String(configId), value)
  const before = choices.modes?.currentModeId
  await choose(chat, chosen, check)
  const mode = choices.modes?.currentModeId
  if (mode !== undefined && mode !== before && !('agent' in chosen))
    await chat.options.voice.notify({ update: { sessionUpdate: 'current_mode_update', currentModeId: mode } })
  const { configOptions = [] } = states.answered()
  setTimeout(() => void states.showCommands().catch(() => {}), 0)
  return { configOptions }
}

export const chooseMode = async (chat: Chat, params: unknown): Promise<object> => {
  const { modeId } = isRecord(params) ? params : {}
  const { choices, states } = chat.options
  const known = choices.modes?.availableModes.some(({ id }) => id === modeId) === true
  if (!known) throw unknownMode(params, choices.modes?.availableModes.map(({ id }) => id) ?? [])
  await choose(chat, { own: { modeId: String(modeId) } }, () => Promise.resolve())
  await states.showOptions()
  return {}
}

const choose = async (chat: Chat, chosen: Chosen, check: () => Promise<void>): Promise<void> => {
  const { choices, host } = chat.options
  using stack = new DisposableStack()
  if ('own' in chosen && chat.seat !== undefined) await host.runtime.agent(chat.seat)?.choose?.(chosen.own)
  stack.use(choices.choose(chosen))
  if (!('own' in chosen)) await check()
  stack.move()
}
