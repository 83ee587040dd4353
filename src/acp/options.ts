/** The options of a chat, as an editor shows them: whose agent, the agent's own, and Subgate's controls. Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import { effortsWith, valuesOf } from '../contract/offer.ts'
import type { AgentChoice, AgentOffer, OfferedValue } from '../contract/offer.ts'
import type { PermissionPolicy, SandboxMode, SubagentStartRequest } from '../contract/request.ts'
import type { UsableAgent } from '../gateway.ts'
import { invalid } from './errors.ts'

export type Controls = Pick<SubagentStartRequest, 'model' | 'effort' | 'sandbox' | 'permission' | 'maxDepth'>

export interface OptionsView {
  /** Those that can be chosen; none where the agent is given. */
  readonly agents: readonly UsableAgent[]
  readonly agent: string
  readonly rows: SubagentCapabilities
  readonly offer: AgentOffer
  readonly controls: Controls
  /** What answers questions where nothing else was chosen. */
  readonly policy: PermissionPolicy
  /** The editor shows switches. */
  readonly booleans: boolean
}

/** What a person has chosen by an option. */
export type Chosen =
  | { readonly agent: string }
  | { readonly control: keyof Controls; readonly value: string | number | undefined }
  | { readonly own: AgentChoice }

type Option = acp.SessionConfigOption
type Value = acp.SessionConfigSelectOption

const DEFAULT = 'default'
const fallback: Value = { value: DEFAULT, name: 'Default', description: 'As the agent is set up' }

const select = (
  id: string,
  name: string,
  category: string,
  currentValue: string,
  options: acp.SessionConfigSelectOptions,
): Option => ({ type: 'select', id, name, category, currentValue, options })

const SANDBOXES: readonly (Value & { readonly value: SandboxMode })[] = [
  { value: 'read-only', name: 'Read only' },
  { value: 'workspace-write', name: 'Write in the workspace' },
  { value: 'danger-full-access', name: 'Full access', description: 'Nothing confines the agent' },
]

const POLICIES: readonly (Value & { readonly value: PermissionPolicy })[] = [
  { value: 'ask', name: 'Ask', description: 'Before each action that the agent asks for' },
  { value: 'allow-reads', name: 'Allow reading', description: 'Ask for everything else' },
  { value: 'allow', name: 'Allow', description: 'Everything that the agent asks for' },
  { value: 'deny', name: 'Deny', description: 'Everything that the agent asks for' },
]

const DEPTHS = [0, 1, 2, 3]

/** Ids that are Subgate's in every chat. */
const OURS: ReadonlySet<string> = new Set(['agent', 'sandbox', 'permission', 'maxDepth'])
const OWN_PREFIX = 'agent.'
const outwardId = (id: string): string => (OURS.has(id) ? OWN_PREFIX + id : id)
const inwardId = (id: string): string =>
  id.startsWith(OWN_PREFIX) && OURS.has(id.slice(OWN_PREFIX.length)) ? id.slice(OWN_PREFIX.length) : id

const known = (chosen: string | undefined, values: readonly Value[]): readonly Value[] =>
  chosen === undefined || values.some(({ value }) => value === chosen)
    ? values
    : [...values, { value: chosen, name: chosen }]

const plainValue = ({ value, name, description }: OfferedValue): Value => ({
  value,
  name,
  ...(description !== undefined && { description }),
})

/** Models of several makers stand in groups. */
const grouped = (
  values: readonly OfferedValue[],
  chosen: string | undefined,
): acp.SessionConfigSelectOptions => {
  const groups = Map.groupBy(values, ({ group }) => group ?? '')
  if (groups.size < 2) return [fallback, ...known(chosen, values.map(plainValue))]
  const unknown = chosen !== undefined && values.every(({ value }) => value !== chosen)
  const rest: Value[] = unknown ? [fallback, { value: chosen, name: chosen }] : [fallback]
  return [
    { group: DEFAULT, name: 'Default', options: rest },
    ...[...groups].map(([group, members]) => ({
      group: group === '' ? 'other' : group,
      name: group === '' ? 'Other' : group,
      options: members.map(plainValue),
    })),
  ]
}

/** A switch is a choice of two where an editor has no switches. */
const shown = (option: Option, booleans: boolean): Option => {
  const named = { ...option, id: outwardId(option.id) }
  if (named.type !== 'boolean' || booleans) return named
  const { type: _, currentValue, ...rest } = named
  const options = [
    { value: 'true', name: 'On' },
    { value: 'false', name: 'Off' },
  ]
  return { ...rest, type: 'select', currentValue: String(currentValue), options }
}

const own = ({ offer, booleans }: OptionsView): readonly Option[] => {
  const options = (offer.configOptions ?? []).map((option) => shown(option, booleans))
  const { modes } = offer
  if (modes === undefined || options.some(({ id, category }) => category === 'mode' || id === 'mode'))
    return options
  const values = modes.availableModes.map(({ id, name, description }) => ({
    value: id,
    name,
    ...(typeof description === 'string' && { description }),
  }))
  return [select('mode', 'Mode', 'mode', modes.currentModeId, values), ...options]
}

const listed = (
  field: 'model' | 'effort',
  { offer, rows, controls }: OptionsView,
  theirs: readonly Option[],
): readonly Option[] => {
  const [name, category, values] =
    field === 'model'
      ? (['Model', 'model', offer.models ?? []] as const)
      : (['Thought level', 'thought_level', effortsWith(offer, controls.model)] as const)
  const theirOwn = theirs.some((option) => option.category === category || option.id === field)
  if (theirOwn || rows[field] === 'none' || values.length === 0) return []
  return [select(field, name, category, controls[field] ?? DEFAULT, grouped(values, controls[field]))]
}

const ours = ({ rows, controls, policy }: OptionsView): readonly Option[] => {
  const { sandbox, permission, maxDepth } = controls
  const depth = maxDepth === undefined ? undefined : String(maxDepth)
  const depths = DEPTHS.map((count) => ({ value: String(count), name: count === 0 ? 'None' : String(count) }))
  return [
    ...(rows.sandbox === 'none'
      ? []
      : [select('sandbox', 'Sandbox', 'other', sandbox ?? DEFAULT, [fallback, ...SANDBOXES])]),
    ...(rows.permissions === 'none'
      ? []
      : [select('permission', 'Permissions', 'other', permission ?? policy, [...POLICIES])]),
    ...(rows.depthLimit === 'none'
      ? []
      : [
          select('maxDepth', 'Levels of subagents', 'other', depth ?? DEFAULT, [
            fallback,
            ...known(depth, depths),
          ]),
        ]),
  ]
}

/** In the order in which editors show them best: agent, mode, model, thought level, the rest. */
export const configOptionsOf = (view: OptionsView): readonly Option[] => {
  const { agents, agent } = view
  const theirs = own(view)
  const of = (category: string): readonly Option[] => theirs.filter((option) => option.category === category)
  const sorted = new Set(['mode', 'model', 'thought_level'])
  return [
    ...(agents.length === 0
      ? []
      : [
          select(
            'agent',
            'Agent',
            'other',
            agent,
            agents.map(({ name, title }) => ({ value: name, name: title })),
          ),
        ]),
    ...of('mode'),
    ...of('model'),
    ...listed('model', view, theirs),
    ...of('thought_level'),
    ...listed('effort', view, theirs),
    ...theirs.filter(({ category }) => !sorted.has(category ?? '')),
    ...ours(view),
  ]
}

/** What the person chose; throws -32602 for an option or a value that isn't there, with those that are. */
export const readChoice = (view: OptionsView, configId: string, value: unknown): Chosen => {
  const options = configOptionsOf(view)
  const option = options.find(({ id }) => id === configId)
  if (option === undefined)
    throw invalid(
      'configId',
      `No option has the id ${JSON.stringify(configId)}. Valid ids: ${options.map(({ id }) => id).join(', ') || 'none, as this session has no options'}.`,
    )
  const values = valuesOf(option)
  const fits = option.type === 'boolean' ? typeof value === 'boolean' : values.includes(value as string)
  if (!fits)
    throw invalid(
      'value',
      `${JSON.stringify(value)} is no value of the option ${configId}. Valid values: ${option.type === 'boolean' ? 'true, false' : values.join(', ')}.`,
    )
  return chosenBy(view, configId, value as string | boolean)
}

const chosenBy = ({ offer }: OptionsView, configId: string, value: string | boolean): Chosen => {
  const theirs = offer.configOptions?.find(({ id }) => outwardId(id) === configId)
  if (theirs !== undefined) {
    const given = theirs.type === 'boolean' && typeof value === 'string' ? value === 'true' : value
    return { own: { configId: inwardId(configId), value: given } }
  }
  const text = String(value)
  if (configId === 'mode') return { own: { modeId: text } }
  if (configId === 'agent') return { agent: text }
  const chosen = text === DEFAULT ? undefined : text
  if (configId === 'maxDepth')
    return { control: 'maxDepth', value: chosen === undefined ? undefined : Number(chosen) }
  return { control: configId as keyof Controls, value: chosen }
}
