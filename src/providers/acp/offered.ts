/** What an agent's session lets a person choose, kept up with all that the agent says of it. */
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import { chosenIn, offerAfter, offerIn, valuesOf } from '../../contract/offer.ts'
import type { AgentChoice, AgentOffer } from '../../contract/offer.ts'
import type { SessionUpdate } from '../../contract/content.ts'

export type Ask = (method: string, params: object) => Promise<unknown>

export class Offered {
  readonly #name: string
  readonly #remember: (offer: AgentOffer) => void
  #offer: AgentOffer = {}
  /** As a session begins: what is chosen in one says nothing of the next. */
  #first: AgentOffer = {}

  constructor(name: string, remember: (offer: AgentOffer) => void) {
    this.#name = name
    this.#remember = remember
  }

  get current(): AgentOffer {
    return this.#offer
  }

  opened(answer: unknown): void {
    this.#offer = { ...this.#offer, ...offerIn(answer) }
    this.#first = this.#offer
    this.#remember(this.#first)
  }

  heard(update: SessionUpdate): void {
    const offer = offerAfter(this.#offer, update)
    if (offer === this.#offer) return
    this.#offer = offer
    if (offer.commands === this.#first.commands) return
    this.#first = { ...this.#first, commands: offer.commands ?? [] }
    this.#remember(this.#first)
  }

  /** An option was set; the answer may show what else that has changed. */
  took(choice: AgentChoice, answer: unknown): void {
    this.#offer = { ...chosenIn(this.#offer, choice), ...configOptionsIn(answer) }
  }

  /** Refused where it isn't offered. */
  async choose(choice: AgentChoice, sessionId: string, ask: Ask): Promise<void> {
    const known = knownFor(this.#offer, choice)
    const value = 'modeId' in choice ? choice.modeId : choice.value
    if (!known.includes(value)) {
      const field = 'modeId' in choice ? 'mode' : choice.configId
      throw new SubagentError(
        'INVALID_REQUEST',
        'session',
        `${this.#name} doesn't offer the ${field} "${value}". It offers: ${known.join(', ') || 'none'}.`,
        { field },
      )
    }
    const [method, params] = callOf(this.#offer, choice)
    this.took(choice, await ask(method, { sessionId, ...params }))
  }
}

const configOptionsIn = (answer: unknown): AgentOffer => {
  const { configOptions } = offerIn(isRecord(answer) ? { configOptions: answer['configOptions'] } : {})
  return configOptions === undefined ? {} : { configOptions }
}

const knownFor = (offer: AgentOffer, choice: AgentChoice): readonly unknown[] => {
  if ('modeId' in choice) return offer.modes?.availableModes.map(({ id }) => id) ?? []
  const option = offer.configOptions?.find(({ id }) => id === choice.configId)
  if (option === undefined) return []
  return option.type === 'boolean' ? [true, false] : valuesOf(option)
}

const callOf = (offer: AgentOffer, choice: AgentChoice): readonly [string, object] => {
  if ('modeId' in choice) return ['session/set_mode', { modeId: choice.modeId }]
  const { configId, value } = choice
  const option = offer.configOptions?.find(({ id }) => id === configId)
  const typed = option?.type === 'boolean' ? { type: 'boolean', value } : { value }
  return ['session/set_config_option', { configId, ...typed }]
}
