/** State that is asked for often, kept up on every append instead of folded from the log (design.md §6). */
import type { ApprovalPolicy, LogEntry, RunStarted, SubagentDescriptor } from '../contract/events.ts'
import type { PermissionId, RunId } from '../contract/ids.ts'
import type { RunLimits, SandboxMode } from '../contract/request.ts'
import { stillHolds } from './permission-presets.ts'
import type { PermissionPreset } from './permission-presets.ts'
import type { RunStatus } from '../contract/result.ts'

export interface Registers {
  /** The run that is open, if one is. */
  readonly openRun?: RunId
  /** What the open run keeps to, where that is anything; `startedAt` is epoch milliseconds. */
  readonly openLimits?: RunLimits & { readonly startedAt: number }
  readonly lastStatus?: RunStatus
  /** `seq` of the last `run/settled` of a completed turn: where a fork's prefix ends (B8.1). */
  readonly lastCompleted: number
  /** The last `sandbox/mode`: an explicit override, never a deployment default. */
  readonly sandbox?: SandboxMode
  readonly permissionPreset?: string
  readonly approvalPolicy?: ApprovalPolicy
  /** Whether that policy came with the delegation or was switched later (B4.3). */
  readonly approvalSource?: 'delegation' | 'request'
  readonly descriptor?: SubagentDescriptor
  /** The agent's own id of this conversation. */
  readonly nativeId?: string
  /** The lowest cap that a run of it was begun under. */
  readonly maxDepth?: number
  /** Questions that wait for an answer; absent = none. */
  readonly asked?: readonly PermissionId[]
  /** Forms that wait for a person; absent = none. Those of a run are over with it. */
  readonly forms?: readonly string[]
}

export const EMPTY_REGISTERS: Registers = { lastCompleted: 0 }

const without = <K extends keyof Registers>(registers: Registers, key: K): Omit<Registers, K> => {
  const { [key]: _, ...rest } = registers
  return rest
}

/** A user's switch that parts from what the permission preset stands for ends it (B3.9). */
const afterSwitch = (
  registers: Registers,
  source: 'delegation' | 'request',
  change: Partial<PermissionPreset>,
): Registers =>
  source === 'delegation' || stillHolds(registers.permissionPreset, change)
    ? registers
    : without(registers, 'permissionPreset')

/** A cap never rises again, whatever its session is taken up with (law 11). */
const begun = (
  registers: Registers,
  openRun: RunId,
  { maxDepth, limits }: RunStarted,
  startedAt: number,
): Registers => ({
  ...registers,
  openRun,
  ...(limits !== undefined && { openLimits: { ...limits, startedAt } }),
  ...(maxDepth !== undefined && { maxDepth: Math.min(maxDepth, registers.maxDepth ?? maxDepth) }),
})

const afterAnswer = (registers: Registers, id: PermissionId): Registers => {
  const asked = (registers.asked ?? []).filter((each) => each !== id)
  const rest = without(registers, 'asked')
  return asked.length === 0 ? rest : { ...rest, asked }
}

const afterForm = (registers: Registers, id: string): Registers => {
  const forms = (registers.forms ?? []).filter((each) => each !== id)
  const rest = without(registers, 'forms')
  return forms.length === 0 ? rest : { ...rest, forms }
}

/** What holds while a run is open. */
const over = ({ openRun: _run, openLimits: _limits, forms: _forms, ...rest }: Registers): Registers => rest

/** One event further. Last event wins (B3.5). */
export const advanceRegisters = (registers: Registers, { seq, at, runId, event }: LogEntry): Registers => {
  switch (event.type) {
    case 'run/started':
      return runId === undefined ? registers : begun(registers, runId, event, at)
    case 'run/settled':
      return {
        ...over(registers),
        lastStatus: event.status,
        lastCompleted: event.status === 'completed' ? seq : registers.lastCompleted,
      }
    case 'sandbox/mode':
      return { ...afterSwitch(registers, event.source, { sandbox: event.mode }), sandbox: event.mode }
    case 'permission/preset':
      return { ...registers, permissionPreset: event.preset }
    case 'approval/policy':
      return {
        ...afterSwitch(registers, event.source, { approvals: event.policy }),
        approvalPolicy: event.policy,
        approvalSource: event.source,
      }
    case 'subagent/descriptor':
      return { ...registers, descriptor: event }
    case 'session/native_id':
      return { ...registers, nativeId: event.nativeId }
    case 'permission/requested':
      return { ...registers, asked: [...(registers.asked ?? []), event.id] }
    case 'permission/resolved':
      return afterAnswer(registers, event.id)
    case 'elicitation/requested':
      return { ...registers, forms: [...(registers.forms ?? []), event.id] }
    case 'elicitation/resolved':
      return afterForm(registers, event.id)
    case 'session/update':
    case 'session/late_update':
    case 'subagent/update':
    case 'approval/asked':
    case 'approval/decided':
    case 'letter/received':
    case 'notice':
      return registers
  }
}

export const foldRegisters = (entries: Iterable<LogEntry>, from: Registers = EMPTY_REGISTERS): Registers => {
  let registers = from
  for (const entry of entries) registers = advanceRegisters(registers, entry)
  return registers
}
