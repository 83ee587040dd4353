/** Takes an approval to whoever answers the run's permission requests: a person, or the run's policy (law 8). */
import type { Answerer } from '../../agent/approvals.ts'
import type { PermissionOption } from '../../contract/content.ts'
import type { Turn } from '../../contract/provider.ts'

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
]

export const personAnswers =
  (turn: Pick<Turn, 'requestPermission'>): Answerer =>
  async ({ id, toolCallId, title, kind, reason, locations, content }) => {
    const outcome = await turn.requestPermission({
      toolCall: {
        toolCallId: toolCallId ?? id,
        title,
        kind,
        status: 'pending',
        content: [{ type: 'content', content: { type: 'text', text: reason } }, ...(content ?? [])],
        ...(locations !== undefined && { locations: [...locations] }),
      },
      options: OPTIONS,
    })
    if (outcome.outcome === 'cancelled') return 'cancelled'
    return outcome.optionId === 'allow' ? 'allowed' : 'rejected'
  }
