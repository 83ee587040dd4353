/** The registers that a session's log stands for, beside which its shared history counts for little. Pure. */
import { present } from '../../contract/present.ts'
import { EMPTY_REGISTERS, foldRegisters } from '../registers.ts'
import type { Registers } from '../registers.ts'
import type { WholeSession } from './format.ts'

/** As at its publication: a child's policy is what the delegation stamped on it; another copy kept what it copied. */
const seed = ({ header, inheritedEventCount, entries }: WholeSession): Registers => {
  if (inheritedEventCount === 0) return EMPTY_REGISTERS
  const before = foldRegisters(entries.slice(0, inheritedEventCount))
  const { lastCompleted, sandbox, permissionPreset, approvalPolicy, approvalSource } = before
  if (header.parentId !== undefined) return { lastCompleted }
  return { lastCompleted, ...present({ sandbox, permissionPreset, approvalPolicy, approvalSource }) }
}

export const registersOf = (session: WholeSession): Registers =>
  foldRegisters(session.entries.slice(session.inheritedEventCount), seed(session))
