/**
 * The models of the built-in agent: `provider/model`, keys from the environment by name alone.
 *
 *     const model = await loadModel('anthropic/claude-opus-4-8', { env: process.env })
 *     for await (const part of streamParts(model.language, { prompt, tools, abortSignal })) …
 *     // what was thrown: modelFault(error, model), isTransient(error), retryDelay(attempt, error, Math.random)
 *
 * `providers.ts` is the table of services; `rehearsal` needs neither a service nor a key.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { SubagentError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import { closest } from '../../contract/parse.ts'
import { baseUrlOf, firstSet } from './address.ts'
import type { Environment } from './address.ts'
import { connect, optionsKey } from './connect.ts'
import { costByPrice, costInUsage } from './cost.ts'
import type { CostOf, ModelPrice } from './cost.ts'
import { effortOptions } from './effort.ts'
import { PROVIDERS, contentOf } from './providers.ts'
import type { ContentKinds, ModelProvider } from './providers.ts'

export interface AgentModel {
  /** `provider/model`, or `rehearsal`. */
  readonly ref: string
  readonly language: LanguageModelV4
  readonly content: ContentKinds
  /** Whether an effort is honoured; else asking for one is refused at the gate. */
  readonly effort: boolean
  /** Provider options for one call; throws INVALID_REQUEST for a level that the model doesn't have. */
  effortOptions?(effort: string): Readonly<Record<string, JsonObject>>
  /** Absent where nobody says what this model costs. */
  readonly costOf?: CostOf
  /** Puts the variable's name where the key's value stands: for texts that come from the service. */
  redact?(text: string): string
}

export interface LoadOptions {
  readonly env: Environment
  /** By `provider/model`; what a service itself says counts before. */
  readonly prices?: Readonly<Record<string, ModelPrice>>
  /** The platform's own when absent. */
  readonly fetch?: typeof globalThis.fetch
}

export const REHEARSAL = 'rehearsal'

const known = (): readonly string[] => [...PROVIDERS.map(({ name }) => name), REHEARSAL]

/** Services that could be asked here, by name: a key is set, or the address of one that needs none. */
export const modelsHere = (env: Environment): readonly string[] =>
  PROVIDERS.filter(({ keys, keyless, baseUrls }) =>
    firstSet(keyless === true ? [...keys, ...baseUrls] : keys, env),
  ).map(({ name }) => name)

const refuse = (message: string, suggestion?: string): never => {
  throw new SubagentError('INVALID_REQUEST', 'resolve', message, {
    field: 'model',
    ...(suggestion !== undefined && { suggestion }),
  })
}

const providerOf = (ref: string): { readonly provider: ModelProvider; readonly id: string } => {
  const slash = ref.indexOf('/')
  const name = slash < 0 ? ref : ref.slice(0, slash)
  const id = slash < 0 ? '' : ref.slice(slash + 1)
  const provider = PROVIDERS.find((row) => row.name === name)
  const asked = JSON.stringify(ref)
  if (provider === undefined) {
    const suggestion = closest(name, known())
    const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
    return refuse(
      `Unknown model ${asked}.${hint} Name it as provider/model; the providers are ${known().join(', ')}.`,
      suggestion,
    )
  }
  if (id.trim() === '')
    return refuse(`The model ${asked} has no name after its provider. Name it as ${name}/model.`)
  return { provider, id }
}

const keyOf = (ref: string, { keys, keyless }: ModelProvider, env: Environment): string => {
  const variable = firstSet(keys, env)
  if (variable !== undefined) return (env[variable] ?? '').trim()
  if (keyless === true) return ''
  throw new SubagentError(
    'AUTH_REQUIRED',
    'resolve',
    `The model ${ref} needs a key, and none is set here. Set ${keys.join(' or ')}, or name another model.`,
    { methods: [], withheld: [...keys] },
  )
}

const costs = ({ saysCost }: ModelProvider, price: ModelPrice | undefined): Pick<AgentModel, 'costOf'> => {
  const priced = price && costByPrice(price)
  if (saysCost !== true) return priced === undefined ? {} : { costOf: priced }
  return { costOf: (usage) => costInUsage(usage) ?? priced?.(usage) }
}

/** Kept, since to ask for a module again takes longer than the rest of a start. */
let rehearsal: typeof import('./rehearsal.ts') | undefined

/** Rejects with INVALID_REQUEST or AUTH_REQUIRED before any package is loaded; nothing is asked of the service. */
export const loadModel = async (
  ref: string,
  { env, prices = {}, fetch }: LoadOptions,
): Promise<AgentModel> => {
  if (ref === REHEARSAL) {
    rehearsal ??= await import('./rehearsal.ts')
    return rehearsal.rehearsalModel()
  }
  const { provider, id } = providerOf(ref)
  const key = keyOf(ref, provider, env)
  const connection = { baseUrl: baseUrlOf(provider, env), key, ...(fetch !== undefined && { fetch }) }
  const language = await connect(provider, id, connection)
  const { effort } = provider
  const named = `[${firstSet(provider.keys, env) ?? ''}]`
  return {
    ref,
    language,
    content: contentOf(provider, id),
    effort: effort?.models.test(id) ?? false,
    ...(effort?.models.test(id) === true && {
      effortOptions: (level: string) => ({ [optionsKey(provider)]: effortOptions(ref, effort, level) }),
    }),
    ...costs(provider, Object.hasOwn(prices, ref) ? prices[ref] : undefined),
    redact: (text) => (key === '' ? text : text.replaceAll(key, named)),
  }
}
