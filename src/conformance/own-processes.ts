/** The processes below this one. */
import { environmentOf, processTable } from '../process/process-table.ts'

/** Pids of living descendants, without a gateway's own watchdog. */
export const ownProcesses = (): readonly number[] => {
  const table = processTable().filter(({ zombie }) => !zombie)
  const below: number[] = []
  let parents = new Set([process.pid])
  while (parents.size > 0) {
    const children = table.filter(({ parent }) => parents.has(parent)).map(({ pid }) => pid)
    below.push(...children)
    parents = new Set(children)
  }
  return below.filter((pid) => environmentOf(pid)?.includes('SUBGATE_WATCHDOG=') !== true)
}
