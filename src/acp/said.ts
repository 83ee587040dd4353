/** What a person said, as a run's first event holds it, without what the face put before it. Pure. */
import type { ContentBlock } from '../contract/content.ts'
import type { RunStarted } from '../contract/events.ts'
import { isRecord } from '../contract/json.ts'

/** A block that the face adds for the agent alone. */
export const contextBlock = (text: string): ContentBlock => ({
  type: 'text',
  text,
  _meta: { subgate: { context: true } },
})

const isContext = ({ _meta: meta }: ContentBlock): boolean =>
  isRecord(meta) && isRecord(meta['subgate']) && meta['subgate']['context'] === true

export const promptOf = ({ prompt = [] }: Pick<RunStarted, 'prompt'>): readonly ContentBlock[] =>
  prompt.filter((block) => !isContext(block))
