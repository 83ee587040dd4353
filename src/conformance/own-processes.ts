/** The processes below this one. */
import { environmentOf, processTable } from '../process/process-table.ts'

const isWatchdog = (pid: number): boolean => environmentOf(pid)?.includes('SUBGATE_WATCHDOG=') === true

/** Pids of living descendants, without a gateway's own watchdog and what that starts. */
export const ownProcesses = (): readonly number[] => {
  const table = processTable().filter(({ zombie }) => !zombie)
  const below: number[] = []
  let parents = new Set([process.pid])
  while (parents.size > 0) {
    const children = table
      .filter(({ pid, parent }) => parents.has(parent) && !isWatchdog(pid))
      .map(({ pid }) => pid)
    below.push(...children)
    parents = new Set(children)
  }
  return below
}
