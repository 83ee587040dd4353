/** What one turn of an ACP agent has shown so far, beside its events. */
import type { SessionUpdate } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { Turn } from '../../contract/provider.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import type { FailureSign } from './agents.ts'

export interface TurnState {
  readonly turn: Turn
  over: boolean
  rejected: boolean
  failing: boolean
  costUsd: number | undefined
  lastText: string
}

export const begunTurn = (turn: Turn): TurnState => ({
  turn,
  over: false,
  rejected: false,
  failing: false,
  costUsd: undefined,
  lastText: '',
})

export const noteUpdate = (
  state: TurnState,
  update: SessionUpdate,
  failureSign: FailureSign | undefined,
): void => {
  const failing = failureSign?.(update)
  if (failing !== undefined) state.failing = failing
  const fields = update as { readonly [field: string]: unknown }
  if (update.sessionUpdate === 'usage_update' && isRecord(fields['cost'])) {
    const { amount, currency } = fields['cost']
    if (typeof amount === 'number' && currency === 'USD') state.costUsd = amount
  }
  if (update.sessionUpdate === 'agent_message_chunk' && isRecord(fields['content'])) {
    const { text } = fields['content']
    if (typeof text === 'string') state.lastText = text
  }
}

/** The agent ended its turn as if all were well, and had shown that it isn't. */
export const hiddenFailure = (
  name: string,
  process: SupervisedProcess,
  { lastText }: TurnState,
): SubagentError => {
  const { withheld } = process.facts()
  const said = process.mask(lastText).trim().slice(0, 1000)
  return new SubagentError(
    'MODEL_ERROR',
    'prompt',
    `${name} ended its turn, but its model had failed: ${said}`,
    { ...(withheld !== undefined && { withheld }) },
  )
}
