/** What the built-in agents need here before they can start, in words for people. Pure. */
import { firstSet } from './agent/models/address.ts'
import { modelsHere, REHEARSAL } from './agent/models/model.ts'
import { PROVIDERS } from './agent/models/providers.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface BuiltInState {
  readonly name: 'spawn' | 'fork'
  readonly title: string
  /** It can start as a root without further words. */
  readonly usable: boolean
  /** What it starts with, or what it needs. */
  readonly where: string
}

/** Services whose keys a newcomer most likely has. */
const BEST_KNOWN = PROVIDERS.filter(({ keyless }) => keyless !== true).slice(0, 2)

const needsModel = (env: Environment): string => {
  const here = modelsHere(env)
  const way = 'needs --model provider/model, or "model" in the configuration'
  if (here.length > 0) return `${way}; set up here: ${here.join(', ')}`
  const keys = BEST_KNOWN.map(({ keys: [first] }) => first).join(' or ')
  return `${way}, and a key such as ${keys}`
}

/** Nothing is asked of the service, so that a key may turn out to be wrong. */
const stateOf = (model: string, env: Environment): Pick<BuiltInState, 'usable' | 'where'> => {
  const [name = ''] = model.split('/')
  const service = PROVIDERS.find((row) => row.name === name)
  if (model !== REHEARSAL && (service === undefined || !model.includes('/')))
    return { usable: false, where: `the configured model ${model} is unknown: name it as provider/model` }
  const misses =
    service !== undefined && service.keyless !== true && firstSet(service.keys, env) === undefined
  if (misses)
    return { usable: false, where: `the configured model ${model} needs a key: ${service.keys.join(' or ')}` }
  return { usable: true, where: `ready with model ${model}` }
}

export const builtInStates = (model: string | undefined, env: Environment): readonly BuiltInState[] => [
  {
    name: 'spawn',
    title: 'Built-in agent',
    ...(model === undefined ? { usable: false, where: needsModel(env) } : stateOf(model, env)),
  },
  {
    name: 'fork',
    title: 'Built-in agent',
    usable: false,
    where: "for delegation only: it starts with its parent's conversation",
  },
]
