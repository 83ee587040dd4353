/** How a turn of dsh ended, in our words (B10.3). Pure. */
import * as z from 'zod/mini'
import '../../contract/zod-config.ts'
import { boundedDetail } from '../../contract/bounded.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { RunSettled } from '../../contract/events.ts'
import { present } from '../../contract/present.ts'
import type { Usage } from '../../contract/result.ts'
import { readAs } from './dsh-records.ts'
import type { DshEvent } from './dsh-records.ts'
import { interrupted } from './settle-open.ts'

const schema = z.looseObject({
  reason: z.looseObject({
    kind: z.string(),
    error: z.exactOptional(z.looseObject({ message: z.string() })),
  }),
})

export interface Turn {
  readonly text: string
  readonly usage: Usage | undefined
  readonly durationMs: number
}

type Ending = Pick<RunSettled, 'status' | 'category' | 'error'>

const failure = (detail: string): Ending => ({
  status: 'failed',
  category: 'model',
  error: new SubagentError('MODEL_ERROR', 'prompt', boundedDetail(detail), {}).toJSON(),
})

const endingOf = (kind: string, message: string | undefined, text: string): Ending => {
  switch (kind) {
    case 'completed':
      return text.trim() === '' ? { status: 'empty', category: 'no_text' } : { status: 'completed' }
    case 'max-tokens':
      return { status: 'truncated', category: 'max_tokens' }
    case 'blocked':
      return { status: 'refused', category: 'refusal' }
    case 'aborted':
      return { status: 'cancelled', category: 'request' }
    case 'error':
      return failure(message ?? 'The turn failed.')
    default:
      return failure(`The turn ended as "${kind}".`)
  }
}

export const settledBy = ({ data, place }: DshEvent, { text, usage, durationMs }: Turn): RunSettled => {
  const { reason } = readAs(schema, data, place, 'data')
  if (reason.kind === 'interrupted') return { ...interrupted(durationMs), ...present({ usage }) }
  return {
    type: 'run/settled',
    ...endingOf(reason.kind, reason.error?.message, text),
    denied: [],
    ...present({ usage }),
    durationMs: Math.max(durationMs, 0),
  }
}
