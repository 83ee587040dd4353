/** How a child's work ended, in the words of its state and of the message that its parent gets. Pure. */
import { text } from '../../contract/content.ts'
import type { ContentBlock } from '../../contract/content.ts'
import { present } from '../../contract/present.ts'
import type { SubagentResult } from '../../contract/result.ts'
import { stopReasonOf, totalled } from '../ending.ts'
import { rpcErrorOf } from '../errors.ts'
import type { ChildState } from './wire.ts'

export const endingState = (result: SubagentResult): ChildState => {
  const { status, category, error, usage } = result
  const rpc = error === undefined ? undefined : rpcErrorOf(error, present({ status, category }))
  return {
    is: 'idle',
    stopReason: stopReasonOf(result),
    ...(rpc !== undefined && { error: { code: rpc.code, message: rpc.message, data: rpc.data } }),
    ...(usage !== undefined && { usage: totalled(usage) }),
    meta: present({ status, category }),
  }
}

/** What it hands back: its answer, or the value that was asked for. */
export const answerOf = ({ text: words, structured }: SubagentResult): readonly ContentBlock[] => {
  const answer = structured === undefined ? words : JSON.stringify(structured)
  return answer.trim() === '' ? [] : [text(answer)]
}

export const isSuccess = ({ status }: SubagentResult): boolean => status === 'completed' || status === 'empty'
