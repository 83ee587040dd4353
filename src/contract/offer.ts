/** What an agent lets a person choose by itself, in ACP's words, beside the controls of a request. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { SessionUpdate, UnknownUpdate } from './content.ts'
import { isRecord } from './json.ts'
import { present } from './present.ts'

/** A value of a control that the request names, such as its model. */
export interface OfferedValue {
  readonly value: string
  readonly name: string
  readonly description?: string
  /** Whose it is, where a list holds those of several. */
  readonly group?: string
  /** Of a model: what `effort` may name with it, where that isn't what the offer says of all. */
  readonly efforts?: readonly OfferedValue[]
}

export interface AgentOffer {
  readonly modes?: acp.SessionModeState
  readonly configOptions?: readonly acp.SessionConfigOption[]
  readonly commands?: readonly acp.AvailableCommand[]
  /** What `model` and `effort` of a request may name, as far as the agent lists it. */
  readonly models?: readonly OfferedValue[]
  readonly efforts?: readonly OfferedValue[]
}

/** What `effort` may name with this model; undefined: with the one that the agent takes by itself. */
export const effortsWith = (
  { models = [], efforts = [] }: AgentOffer,
  model: string | undefined,
): readonly OfferedValue[] => models.find(({ value }) => value === model)?.efforts ?? efforts

/** One of the agent's own modes, or a value of one of its own options. */
export type AgentChoice =
  | { readonly modeId: string }
  | { readonly configId: string; readonly value: string | boolean }

const records = (value: unknown): readonly Record<string, unknown>[] | undefined =>
  Array.isArray(value) ? value.filter((item) => isRecord(item)) : undefined

const optionsOf = (value: unknown): AgentOffer['configOptions'] =>
  records(value) as unknown as AgentOffer['configOptions']

const modesOf = (value: unknown): acp.SessionModeState | undefined => {
  if (!isRecord(value) || typeof value['currentModeId'] !== 'string') return undefined
  const availableModes = (records(value['availableModes']) ?? []) as unknown as acp.SessionMode[]
  return { ...value, currentModeId: value['currentModeId'], availableModes }
}

/** What the answer to a new session says; what isn't of the right shape counts as absent. */
export const offerIn = (answer: unknown): AgentOffer => {
  const { modes, configOptions } = isRecord(answer) ? answer : {}
  return present({ modes: modesOf(modes), configOptions: optionsOf(configOptions) })
}

/** What is offered once the agent has said this: most of what it says changes nothing. */
export const offerAfter = (offer: AgentOffer, update: SessionUpdate): AgentOffer => {
  const said = update as UnknownUpdate
  switch (said.sessionUpdate) {
    case 'config_option_update': {
      const configOptions = optionsOf(said['configOptions'])
      return configOptions === undefined ? offer : { ...offer, configOptions }
    }
    case 'current_mode_update': {
      const modeId = said['currentModeId']
      return typeof modeId === 'string' ? chosenIn(offer, { modeId }) : offer
    }
    case 'available_commands_update': {
      const commands = records(said['availableCommands']) as readonly acp.AvailableCommand[] | undefined
      return commands === undefined ? offer : { ...offer, commands }
    }
    default:
      return offer
  }
}

const isModes = ({ category }: acp.SessionConfigOption): boolean => category === 'mode'

const withValue = (option: acp.SessionConfigOption, value: string | boolean): acp.SessionConfigOption =>
  ({ ...option, currentValue: value }) as acp.SessionConfigOption

/** The same with the choice made: a mode and the option of that category are one, by whichever it was chosen. */
export const chosenIn = (offer: AgentOffer, choice: AgentChoice): AgentOffer => {
  const options = offer.configOptions ?? []
  const through = 'modeId' in choice ? options.find(isModes)?.id : choice.configId
  const value = 'modeId' in choice ? choice.modeId : choice.value
  const option = options.find(({ id }) => id === through)
  const mode = 'modeId' in choice || (option !== undefined && isModes(option))
  const isKnown = offer.modes?.availableModes.some(({ id }) => id === value) === true
  return {
    ...offer,
    ...(offer.modes !== undefined &&
      mode &&
      isKnown && { modes: { ...offer.modes, currentModeId: String(value) } }),
    ...(option !== undefined &&
      (!('modeId' in choice) || valuesOf(option).includes(choice.modeId)) && {
        configOptions: options.map((each) => (each === option ? withValue(each, value) : each)),
      }),
  }
}

/** The values of a select, flat or in groups. */
export const valuesOf = (option: acp.SessionConfigOption): readonly string[] =>
  option.type === 'select'
    ? option.options.flatMap((entry) =>
        'options' in entry ? entry.options.map(({ value }) => value) : [entry.value],
      )
    : []
