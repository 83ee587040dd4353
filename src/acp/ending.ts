/** How a run ends for an editor: a response, or a typed error (design.md §7, Endings). Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import type { RunStatus, SubagentResult } from '../contract/result.ts'
import { rpcErrorOf } from './errors.ts'

const STOP_REASONS: { readonly [S in RunStatus]: acp.StopReason | 'error' } = {
  completed: 'end_turn',
  empty: 'end_turn',
  truncated: 'max_turn_requests',
  refused: 'refusal',
  cancelled: 'cancelled',
  timed_out: 'error',
  failed: 'error',
  interrupted: 'error',
}

export const stopReasonOf = ({
  status,
  category,
}: Pick<SubagentResult, 'status' | 'category'>): acp.StopReason | 'error' =>
  category === 'max_tokens' ? category : STOP_REASONS[status]

/** Throws the `RequestError` of a run that failed, timed out or was interrupted. */
export const promptResponse = (result: SubagentResult): acp.PromptResponse => {
  const { runId, status, category, structured, usage, denied, provider } = result
  const reason = stopReasonOf(result)
  if (reason === 'error') {
    const error =
      result.error ??
      new SubagentError('PROVIDER_FAULT', 'prompt', `The run of ${provider} ended as ${status}.`, {
        provider,
      }).toJSON()
    throw rpcErrorOf(error, present({ status, category }))
  }
  return {
    stopReason: reason,
    ...(usage !== undefined && { usage: totalled(usage) }),
    _meta: { subgate: present({ runId, status, category, structured, usage, denied }) },
  }
}

export const totalled = ({ inputTokens, outputTokens }: NonNullable<SubagentResult['usage']>): acp.Usage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
})
