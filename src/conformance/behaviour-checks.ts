/** Which check belongs to which behaviour of the manifest. */
import type { Check } from './check.ts'
import { disposeCancels, disposesTwice, hears, keepsPartialText, settlesCancelled } from './checks/cancel.ts'
import { refusesUnknown } from './checks/gate.ts'
import { abortLeavesNothing, claimsNoMore, isUnpublished } from './checks/open.ts'
import { answersInOrder, cancelAnswers } from './checks/permission.ts'
import { endsAs, failsTyped, isFold, textIsOutput } from './checks/result.ts'
import { fallsSilent, hasTwoEdges, keepsOrder, replays } from './checks/run.ts'
import { goneAfterCancel, goneAfterRun } from './checks/settled.ts'

export const BEHAVIOUR_CHECKS: Readonly<Record<string, Check>> = {
  'run/started-first-settled-last': hasTwoEdges,
  'run/updates-in-order': keepsOrder,
  'run/replay-equals-live': replays,
  'run/nothing-after-settle': fallsSilent,
  'result/answer-is-completed': endsAs('completed', { saying: true }),
  'result/text-is-the-output': textIsOutput,
  'result/silence-is-empty': endsAs('empty', { category: 'no_text', saying: false }),
  'result/white-space-is-empty': endsAs('empty', { category: 'no_text', saying: false }),
  'result/tool-calls-only-is-empty': endsAs('empty', { category: 'no_text', saying: false }),
  'result/refusal-is-refused': endsAs('refused', { category: 'refusal', saying: true }),
  'result/truncation-is-truncated': endsAs('truncated', { saying: true }),
  'result/fault-is-failed': failsTyped,
  'result/is-a-fold-of-the-log': isFold,
  'cancel/settles-cancelled': settlesCancelled,
  'cancel/keeps-partial-text': keepsPartialText,
  'cancel/is-heard': hears,
  'dispose/is-idempotent': disposesTwice,
  'dispose/cancels-what-runs': disposeCancels,
  'settled/is-gone': goneAfterRun,
  'settled/is-gone-after-cancel': goneAfterCancel,
  'settled/is-gone-after-a-fault': goneAfterRun,
  'open/aborted-leaves-nothing': abortLeavesNothing,
  'open/is-unpublished': isUnpublished,
  'open/claims-no-more-than-declared': claimsNoMore,
  'gate/unknown-controls-are-refused': refusesUnknown,
  'permission/answered-before-it-acts': answersInOrder,
  'permission/cancel-answers-what-is-open': cancelAnswers,
}
