/** Checks of modes and config options. */
import { isRecord } from '../../../contract/json.ts'
import { hold, shown } from '../../failure.ts'
import { NotTested } from '../outcome.ts'
import { isValid } from '../scene.ts'
import type { Checks, Scene } from '../scene.ts'

type Fields = Readonly<Record<string, unknown>>

const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const modesOf = (created: Fields): { readonly current: unknown; readonly ids: readonly unknown[] } => {
  const modes = isRecord(created['modes']) ? created['modes'] : {}
  return { current: modes['currentModeId'], ids: list(modes['availableModes']).map(({ id }) => id) }
}

/** Flat or grouped. */
const valuesOf = ({ type, options }: Fields): readonly unknown[] =>
  type === 'boolean'
    ? [true, false]
    : list(options)
        .flatMap((entry) => ('options' in entry ? list(entry['options']) : [entry]))
        .map(({ value }) => value)

/** One that changes little else: which agent or model runs may change every other option. */
const TRIED_FIRST: readonly unknown[] = ['thought_level', 'mode', 'model_config', 'model']

const byReach = (one: Fields, other: Fields): number => reach(one) - reach(other)

const reach = ({ category }: Fields): number => {
  const at = TRIED_FIRST.indexOf(category)
  return at < 0 ? TRIED_FIRST.length : at
}

const optionsIn = async (scene: Scene): Promise<readonly Fields[]> => {
  const created = await scene.created(await scene.initialized())
  return list(created['configOptions'])
}

export const CHOICES: Checks = {
  'ACP-MODES-001': async (scene) => {
    const { current, ids } = modesOf(await scene.created(await scene.initialized()))
    hold(ids.includes(current), `one of ${shown(ids)}`, shown(current))
  },
  'ACP-MODES-002': async (scene) => {
    const conversation = await scene.initialized()
    const created = await scene.created(conversation)
    const { current, ids } = modesOf(created)
    const modeId = ids.find((id) => id !== current)
    if (modeId === undefined) throw new NotTested('There is only one mode.')
    const sessionId = created['sessionId']
    isValid(scene.schema, await conversation.request('session/set_mode', { sessionId, modeId }))
    await conversation.quiet()
    for (const { update } of conversation.updates())
      hold(
        update['sessionUpdate'] !== 'current_mode_update' || typeof update['currentModeId'] === 'string',
        'a currentModeId',
        shown(update),
      )
  },
  'ACP-CONFIG-001': async (scene) => {
    for (const option of await optionsIn(scene))
      hold(
        valuesOf(option).includes(option['currentValue']),
        'a current value that is offered',
        shown(option),
      )
  },
  'ACP-CONFIG-002': async (scene) => {
    const conversation = await scene.initialized()
    const created = await scene.created(conversation)
    const options = list(created['configOptions'])
    const choosable = options.filter((option) => valuesOf(option).length > 1).toSorted(byReach)
    const [option] = choosable
    if (option === undefined) throw new NotTested('No option has a second value.')
    const { id, currentValue, type } = option
    const value = valuesOf(option).find((candidate) => candidate !== currentValue)
    const params = {
      sessionId: created['sessionId'],
      configId: id,
      value,
      ...(type === 'boolean' && { type }),
    }
    const answer = await conversation.request('session/set_config_option', params)
    const after = list(isValid(scene.schema, answer)['configOptions'])
    const ids = after.map((one) => one['id'])
    const missing = options.map((one) => one['id']).filter((one) => !ids.includes(one))
    hold(missing.length === 0, 'every option', `none of ${shown(missing)} in ${shown(ids)}`)
    const now = after.find((one) => one['id'] === id)?.['currentValue']
    hold(now === value, `the new value ${shown(value)} of ${shown(id)}`, shown(now))
  },
  'ACP-CONFIG-003': async (scene) => {
    const found = (await optionsIn(scene)).find(({ type }) => type === 'boolean')
    hold(found === undefined, 'no boolean option', shown(found))
  },
}
