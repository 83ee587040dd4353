/** The registers that an imported session's log stands for. Pure. */
import { foldRegisters } from '../registers.ts'
import type { Registers } from '../registers.ts'
import type { WholeSession } from './format.ts'

/**
 * What was shared counts for its last completed turn alone, as in the session that it comes from: the policy of a
 * copy is what that one stood under when it was made, which may be narrower than at the end of what it shares.
 */
export const registersOf = ({ inheritedEventCount, entries, policy }: WholeSession): Registers => {
  const { lastCompleted } = foldRegisters(entries.slice(0, inheritedEventCount))
  return foldRegisters(entries.slice(inheritedEventCount), { lastCompleted, ...policy })
}
