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
  nextCursor: z.optional(z.nullable(z.string())),
})

type Listed = z.infer<typeof modelList>['data'][number]

const effortsOf = ({ supportedReasoningEfforts }: Listed): readonly OfferedValue[] =>
  (supportedReasoningEfforts ?? []).map(({ reasoningEffort: value, description }) => ({
    value,
    name: value,
    ...present({ description: description ?? undefined }),
  }))

/** A server that always names a further page must not be asked for ever. */
const MAX_PAGES = 20

/** Asks for page after page; a cursor that comes again names no further one. */
export const listModels = async (
  ask: (params: { readonly cursor?: string }) => Promise<unknown>,
): Promise<AgentOffer | undefined> => {
  const listed: Listed[] = []
  const asked = new Set<string>()
  for (let cursor: string | undefined; asked.size < MAX_PAGES; asked.add(cursor)) {
    const page = read(modelList, await ask(present({ cursor })))
    listed.push(...(page?.data ?? []))
    cursor = page?.nextCursor ?? undefined
    if (cursor === undefined || asked.has(cursor)) break
  }
  return offerOf(listed)
}

/** Undefined for no models; one that is hidden is for those who know it. */
const offerOf = (all: readonly Listed[]): AgentOffer | undefined => {
  const listed = all.filter(({ hidden }) => hidden !== true)
  if (listed.length === 0) return undefined
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
