/** What an editor knows of a chat's options and commands: the agent's own and Subgate's, put together. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { SessionUpdate } from '../contract/content.ts'
import type { ChatChoices } from './choices.ts'
import { commandsOf } from './commands.ts'
import type { OfferedPreset } from './commands.ts'
import type { Voice } from './voice.ts'

export class ChatStates {
  readonly #choices: ChatChoices
  readonly #voice: Voice
  readonly #presets: () => readonly OfferedPreset[]
  #options = ''
  #commands = ''

  constructor(choices: ChatChoices, voice: Voice, presets: () => readonly OfferedPreset[]) {
    this.#choices = choices
    this.#voice = voice
    this.#presets = presets
  }

  /** For the answer to a request; the editor knows them from then on. */
  answered(): { modes?: acp.SessionModeState; configOptions?: acp.SessionConfigOption[] } {
    const { modes, configOptions } = this.#choices
    this.#options = JSON.stringify(configOptions)
    return {
      ...(modes !== undefined && { modes }),
      ...(configOptions.length > 0 && { configOptions }),
    }
  }

  /** Tells the editor what there is, where it knows anything else. */
  async show(): Promise<void> {
    await this.showOptions()
    await this.showCommands()
  }

  async showOptions(): Promise<void> {
    const { configOptions } = this.#choices
    const text = JSON.stringify(configOptions)
    if (text === this.#options) return
    this.#options = text
    await this.#voice.notify({ update: { sessionUpdate: 'config_option_update', configOptions } })
  }

  async showCommands(): Promise<void> {
    const availableCommands = commandsOf(this.#presets(), this.#choices.commands)
    const text = JSON.stringify(availableCommands)
    if (text === this.#commands) return
    this.#commands = text
    await this.#voice.notify({ update: { sessionUpdate: 'available_commands_update', availableCommands } })
  }

  /** Takes what an agent says of its own options, modes and commands; false: this is anything else. */
  async merged(update: SessionUpdate, agent: string): Promise<boolean> {
    switch (update.sessionUpdate) {
      case 'config_option_update':
      case 'available_commands_update':
        this.#choices.heard(agent, update)
        await this.show()
        return true
      case 'current_mode_update':
        this.#choices.heard(agent, update)
        if (agent !== this.#choices.agent) return true
        await this.#voice.notify({ update })
        await this.showOptions()
        return true
      default:
        return false
    }
  }
}
