/** The models that an app-server lists, with the reasoning efforts that each of them takes. */
import * as z from 'zod/mini'
import type { AgentOffer, OfferedValue } from '../../contract/offer.ts'
import { present } from '../../contract/present.ts'
import { read } from './protocol.ts'

const modelList = z.looseObject({
  data: z.array(
    z.looseObject({
      model: z.string(),
      displayName: z.optional(z.nullable(z.string())),
      description: z.optional(z.nullable(z.string())),
      hidden: z.optional(z.nullable(z.boolean())),
      isDefault: z.optional(z.nullable(z.boolean())),
      supportedReasoningEfforts: z.optional(
        z.nullable(
          z.array(
            z.looseObject({ reasoningEffort: z.string(), description: z.optional(z.nullable(z.string())) }),
          ),
        ),
      ),
    }),
  ),
})

type Listed = z.infer<typeof modelList>['data'][number]

const effortsOf = ({ supportedReasoningEfforts }: Listed): readonly OfferedValue[] =>
  (supportedReasoningEfforts ?? []).map(({ reasoningEffort: value, description }) => ({
    value,
    name: value,
    ...present({ description: description ?? undefined }),
  }))

/** Undefined for an answer that is no list; a model that is hidden is for those who know it. */
export const offerOfModels = (answer: unknown): AgentOffer | undefined => {
  const listed = read(modelList, answer)?.data.filter(({ hidden }) => hidden !== true)
  if (listed === undefined || listed.length === 0) return undefined
  const fallback = listed.find(({ isDefault }) => isDefault === true)
  return {
    models: listed.map((each) => ({
      value: each.model,
      name: each.displayName ?? each.model,
      efforts: effortsOf(each),
      ...present({ description: each.description ?? undefined }),
    })),
    ...(fallback !== undefined && { efforts: effortsOf(fallback) }),
  }
}
