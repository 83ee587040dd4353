/** Which processes stand above a process, and whether a recorded one still runs (B2.7). */
import type { ProcessRecord } from '../contract/process-record.ts'
import { bootId, isRunning, onLinux, processRow } from './process-table.ts'
import type { ProcessIdentity } from './process-table.ts'

const DEEPEST = 256

/** Nearest first; empty where `/proc` doesn't exist. */
export function ancestorsOf(pid: number): readonly ProcessIdentity[] {
  const ancestors: ProcessIdentity[] = []
  if (!onLinux) return ancestors
  let row = processRow(pid)
  while (row !== undefined && row.parent > 0 && ancestors.length < DEEPEST) {
    row = processRow(row.parent)
    if (row !== undefined) ancestors.push({ pid: row.pid, startTime: row.startTime })
  }
  return ancestors
}

/** True while the recorded process itself runs, on this boot and in this namespace of pids. */
export function isLive(record: ProcessRecord): boolean {
  return record.bootId === bootId() && isRunning(record)
}
