/** Ends what a dead gateway left running, as its records tell, and removes those records (law 13, C14). */
import type { ProcessRecord } from '../contract/process-record.ts'
import { endTree } from './ending.ts'
import { GRACES } from './graces.ts'
import type { Graces } from './graces.ts'
import { bootId, isRunning } from './process-table.ts'
import { listRecords, removeRecord } from './records.ts'
import { ProcessTree } from './tree.ts'

export interface Reaped {
  /** Leaders of the trees that were ended. */
  readonly ended: readonly number[]
  /** What survived; its record stays for the next attempt. */
  readonly escaped: readonly number[]
}

/** Signals recorded trees of dead gateways on this boot and in this namespace of pids, and nothing else. */
export async function reapOrphans(stateDir: string, graces: Graces = GRACES): Promise<Reaped> {
  const here = bootId()
  const outcomes = await Promise.all(
    listRecords(stateDir).map((record) => reap(stateDir, record, here, { ...graces, eofMs: 0 })),
  )
  return {
    ended: outcomes.flatMap((outcome) => outcome?.ended ?? []),
    escaped: outcomes.flatMap((outcome) => outcome?.escaped ?? []),
  }
}

const reap = async (
  stateDir: string,
  record: ProcessRecord,
  here: string,
  graces: Graces,
): Promise<Reaped | undefined> => {
  if (bootOf(record.bootId) !== bootOf(here)) {
    removeRecord(stateDir, record)
    return undefined
  }
  // Pids of another namespace mean nothing here, and its gateway may well be alive.
  if (record.bootId !== here || isRunning(record.gateway)) return undefined
  const runId = record.marker.split(':').at(-1) ?? record.marker
  const tree = new ProcessTree({ ...identity(record), runId, groupOutlivesLeader: false })
  const anyLeft = tree.living().length > 0
  const escaped = anyLeft ? await endTree(tree, graces) : []
  if (escaped.length === 0) removeRecord(stateDir, record)
  return { ended: anyLeft && escaped.length === 0 ? [record.pid] : [], escaped }
}

const bootOf = (id: string): string => id.split('/', 1)[0] ?? id
const identity = ({ pid, startTime }: ProcessRecord): { pid: number; startTime: number } => ({
  pid,
  startTime,
})
