/** Pre-tool hooks: functions of the deployment that see each call before it runs (B4.6). */
import type { ToolKind } from '../contract/content.ts'
import type { ApprovalDecision } from '../contract/events.ts'
import type { JsonObject } from '../contract/json.ts'
import type { ApprovalQuestion } from './tools/tool.ts'

export interface HookCall {
  readonly callId: string
  readonly tool: string
  readonly kind: ToolKind
  readonly title: string
  readonly input: JsonObject
}

export type HookVerdict =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly reason: string }
  | { readonly verdict: 'ask'; readonly reason: string }

/** Undefined has no opinion. To allow is no more than not to object: a later hook can still deny. */
export type PreToolHook = (
  call: HookCall,
  signal: AbortSignal,
) => Promise<HookVerdict | undefined> | HookVerdict | undefined

/** An ask of a hook is an ask like any other. */
export type Ask = (question: ApprovalQuestion) => Promise<ApprovalDecision>

/** Why a call that was asked for doesn't run, in words for the model. */
export const refusalWords: Readonly<Record<Exclude<ApprovalDecision, 'allowed'>, string>> = {
  rejected: 'It needs an approval, and the approval was rejected.',
  cancelled: 'It needs an approval, and the question was cancelled.',
  unavailable: 'It needs an approval, and there is nobody who could give it.',
}

/** Undefined when the call may run, else why not. A hook that throws or talks nonsense fails closed. */
export const passHooks = async (
  hooks: readonly PreToolHook[],
  call: HookCall,
  ask: Ask,
  signal: AbortSignal,
): Promise<string | undefined> => {
  for (const hook of hooks) {
    let answer: HookVerdict | undefined
    try {
      answer = await hook(call, signal)
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      return `A hook of this deployment failed, so the call was not run: ${detail}`
    }
    switch (answer?.verdict) {
      case undefined:
        if (answer === undefined) break
        return 'A hook of this deployment gave no clear answer, so the call was not run.'
      case 'allow':
        break
      case 'deny':
        return `A hook of this deployment denied the call: ${answer.reason}`
      case 'ask': {
        const decision = await ask({ title: call.title, kind: call.kind, reason: answer.reason })
        if (decision !== 'allowed') return `${refusalWords[decision]} (${answer.reason})`
        break
      }
      default:
        return 'A hook of this deployment gave no clear answer, so the call was not run.'
    }
  }
  return undefined
}
