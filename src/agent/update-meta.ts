/** What the agent writes into its updates' `_meta.subgate`, so that its conversation can be read back from the log. */
import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { isRecord } from '../contract/json.ts'

/** Who speaks in a user message; `context` is a runtime-context statement. */
export type Speaker = 'prompt' | 'steer' | 'context'

export interface UpdateMeta {
  /** The block of the model's output that a chunk belongs to, within its step. */
  readonly block?: string
  /** What the provider package needs back verbatim: signatures, item ids. */
  readonly metadata?: SharedV4ProviderMetadata
}

export const speakerMeta = (speaker: Speaker): { readonly subgate: Readonly<Record<string, true>> } => ({
  subgate: { [speaker]: true },
})

export const modelMeta = (model: UpdateMeta): { readonly subgate: { readonly model: UpdateMeta } } => ({
  subgate: { model },
})

const subgateOf = (meta: unknown): Record<string, unknown> => {
  const subgate = isRecord(meta) ? meta['subgate'] : undefined
  return isRecord(subgate) ? subgate : {}
}

export const isContext = (meta: unknown): boolean => subgateOf(meta)['context'] === true

/** Undefined for an update that another agent wrote. */
export const readModelMeta = (meta: unknown): UpdateMeta | undefined => {
  const model = subgateOf(meta)['model']
  if (!isRecord(model)) return undefined
  const { block, metadata } = model
  return {
    ...(typeof block === 'string' && { block }),
    ...(isRecord(metadata) && { metadata: metadata as SharedV4ProviderMetadata }),
  }
}
