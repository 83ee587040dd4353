/** What became of one requirement, and what a check throws when it could not come to a judgement. */

export type Status =
  | 'passed'
  | 'failed'
  /** It is owed, but what it speaks of could not be brought about. Counts as failed where it is mandatory. */
  | 'not_tested'
  /** The agent doesn't advertise it, or the caller gave nothing to test it with: it isn't owed. */
  | 'not_advertised'
  /** Informational: what was seen. */
  | 'recorded'

export interface Outcome {
  readonly id: string
  readonly status: Status
  /** Why it failed or was not tested; what was recorded. */
  readonly detail?: string
  /** All that went over the wire, of a check that failed. */
  readonly transcript?: readonly string[]
  readonly durationMs: number
}

export class NotTested extends Error {
  override readonly name = 'NotTested'
}
