/** What sessions send each other: stored until the receiver's own log says that it was read (B11.2). */
import type { ContentBlock } from './content.ts'
import type { RunId, SessionId } from './ids.ts'
import type { EndingCategory, RunStatus } from './result.ts'

/** Grows in the order of posting. */
export type LetterId = number

export type NewLetter = {
  readonly to: SessionId
  /** Absent = a person. */
  readonly from?: SessionId
  readonly at: number
} & LetterBody

export type LetterBody =
  /** A follow-up for a kept agent, taken in order. */
  | { readonly kind: 'message'; readonly content: readonly ContentBlock[] }
  /** What a child tells its parent while it works. */
  | { readonly kind: 'report'; readonly text: string; readonly label?: string }
  /** A child's run has settled; posted with `run/settled` itself. */
  | {
      readonly kind: 'settled'
      /** Absent: there was no run, as a message could not be given to the child. */
      readonly runId?: RunId
      readonly status: RunStatus
      readonly category?: EndingCategory
      readonly label?: string
      /** Its answer, or why there is none; bounded. */
      readonly text?: string
    }
  /** Stop the open run; what waits in the inbox stays. */
  | { readonly kind: 'interrupt' }

export type Letter = NewLetter & { readonly id: LetterId }
