/** How long a process tree is given at each step of its end, in milliseconds (design.md §3). */

export interface Graces {
  /** From the end of its input until TERM. */
  readonly eofMs: number
  /** From TERM until KILL. */
  readonly termMs: number
  /** From the first KILL until what is left is reported as escaped. */
  readonly killMs: number
}

export const GRACES: Graces = { eofMs: 100, termMs: 500, killMs: 2000 }
