/** The one table of endings (B10.3); the CLI's exit codes and `docs/errors.md` come from it. */
import type { EndingCategory, RunStatus, SubagentResult } from './result.ts'

export interface Ending {
  readonly what: string
  readonly status: RunStatus
  readonly category?: EndingCategory
  readonly exit: number
}

export const EXIT_DENIED = 5

export const ENDINGS: readonly Ending[] = [
  {
    what: 'The turn ended with text, or with the value that a schema asked for.',
    status: 'completed',
    exit: 0,
  },
  {
    what: 'Ended with no text, white space, or tool calls only.',
    status: 'empty',
    category: 'no_text',
    exit: 9,
  },
  { what: "Token limit, the agent's or ours.", status: 'truncated', category: 'max_tokens', exit: 9 },
  { what: "Turn limit, the agent's or ours.", status: 'truncated', category: 'max_turns', exit: 9 },
  { what: 'Budget of the run or its tree.', status: 'truncated', category: 'budget', exit: 7 },
  { what: 'The model declined.', status: 'refused', category: 'refusal', exit: 9 },
  { what: 'Cancelled by Ctrl-C (143 by SIGTERM).', status: 'cancelled', category: 'signal', exit: 130 },
  { what: 'Cancelled from elsewhere.', status: 'cancelled', category: 'request', exit: 10 },
  { what: 'Idle limit.', status: 'timed_out', category: 'idle', exit: 3 },
  { what: 'Total limit.', status: 'timed_out', category: 'total', exit: 3 },
  { what: 'Start-up limit.', status: 'timed_out', category: 'startup', exit: 3 },
  { what: "The answer doesn't fit the schema.", status: 'failed', category: 'schema', exit: 8 },
  { what: 'Sign-in needed.', status: 'failed', category: 'auth', exit: 11 },
  { what: 'Rate limited or overloaded.', status: 'failed', category: 'busy', exit: 12 },
  { what: 'Provider error.', status: 'failed', category: 'provider', exit: 1 },
  { what: 'Protocol error.', status: 'failed', category: 'protocol', exit: 1 },
  { what: 'Process error.', status: 'failed', category: 'process', exit: 1 },
  { what: 'Model error.', status: 'failed', category: 'model', exit: 1 },
  { what: 'The owner died.', status: 'interrupted', category: 'owner_lost', exit: 1 },
]

/** Exit code of a settled run. A completed run with a denial is 5 unless denials are to be ignored. */
export const exitCodeOf = (
  result: Pick<SubagentResult, 'status' | 'category' | 'denied'>,
  onDenied: 'fail' | 'continue' = 'fail',
): number => {
  if (result.status === 'completed' && result.denied.length > 0 && onDenied === 'fail') return EXIT_DENIED
  return ENDINGS.find((row) => row.status === result.status && row.category === result.category)?.exit ?? 1
}

/** How a run ends whose turn failed with an error of this category. */
export const statusOfCategory = (category: EndingCategory | undefined): RunStatus =>
  ENDINGS.find((row) => row.category === category)?.status ?? 'failed'
