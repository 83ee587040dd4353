/** Policy and approvals of a dsh log as our events of the same names. Pure. */
import * as z from 'zod/mini'
import '../../contract/zod-config.ts'
import type { ApprovalPolicy, SetupEvent } from '../../contract/events.ts'
import { present } from '../../contract/present.ts'
import { sandboxSchema } from '../../contract/request-schema.ts'
import { readAs } from './dsh-records.ts'
import type { DshEvent } from './dsh-records.ts'

const text = z.string()
const name = text.check(z.minLength(1))
const source = z.exactOptional(z.literal('delegation'))

const sandbox = z.looseObject({ mode: sandboxSchema, source })
const policy = z.looseObject({ policy: z.enum(['ask', 'never']), source })
const preset = z.looseObject({ preset: name })
const asked = z.looseObject({
  id: name,
  toolName: text,
  callId: z.exactOptional(text),
  reason: z.exactOptional(text),
})
const decided = z.looseObject({
  id: name,
  outcome: z.enum(['allowed-once', 'rejected', 'cancelled', 'unavailable']),
})

const BY = { cancelled: 'cancel', unavailable: 'nobody' } as const

/** Undefined for another event. `standing` is the approval policy of that moment, which may have answered. */
export const policyEvent = (
  { type, data, place }: DshEvent,
  standing: ApprovalPolicy | undefined,
): SetupEvent | undefined => {
  switch (type) {
    case 'sandbox/mode': {
      const read = readAs(sandbox, data, place, 'data')
      return { type, mode: read.mode, source: read.source ?? 'request' }
    }
    case 'approval/policy': {
      const read = readAs(policy, data, place, 'data')
      return { type, policy: read.policy, source: read.source ?? 'request' }
    }
    case 'permission/preset':
      return { type, preset: readAs(preset, data, place, 'data').preset, source: 'delegation' }
    case 'approval/asked': {
      const { id, toolName, callId, reason = '' } = readAs(asked, data, place, 'data')
      return { type, id, title: toolName, kind: 'other', reason, ...present({ toolCallId: callId }) }
    }
    case 'approval/decided': {
      const { id, outcome } = readAs(decided, data, place, 'data')
      const decision = outcome === 'allowed-once' ? 'allowed' : outcome
      const answered = standing === 'never' && decision === 'rejected' ? 'policy' : 'answerer'
      const by = decision === 'cancelled' || decision === 'unavailable' ? BY[decision] : answered
      return { type, id, decision, by }
    }
    default:
      return undefined
  }
}
