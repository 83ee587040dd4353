/** The models that Claude Code names in its greeting, with the efforts that each of them takes. */
import { isRecord } from '../../contract/json.ts'
import type { AgentOffer, OfferedValue } from '../../contract/offer.ts'
import { present } from '../../contract/present.ts'

/** Stands for what a start without a model takes. */
const FALLBACK = 'default'

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const effortsOf = ({ supportedEffortLevels: levels }: Readonly<Record<string, unknown>>) =>
  (Array.isArray(levels) ? levels : [])
    .filter((level): level is string => typeof level === 'string')
    .map((level): OfferedValue => ({ value: level, name: level }))

/** Undefined for a greeting without models. */
export const offerOfModels = (greeting: unknown): AgentOffer | undefined => {
  const said: unknown = isRecord(greeting) ? greeting['models'] : undefined
  const listed = (Array.isArray(said) ? said : []).filter(isRecord)
  const models = listed.flatMap((each): OfferedValue[] => {
    const value = text(each['value'])
    if (value === undefined || value === FALLBACK) return []
    const description = text(each['description'])
    const name = text(each['displayName']) ?? value
    return [{ value, name, efforts: effortsOf(each), ...present({ description }) }]
  })
  if (models.length === 0) return undefined
  const fallback = listed.find(({ value }) => value === FALLBACK)
  return { models, ...(fallback !== undefined && { efforts: effortsOf(fallback) }) }
}
