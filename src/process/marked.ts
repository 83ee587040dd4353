/** Ends the processes that carry one of some variables: tools of one session in a process that hosts several. */
import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '../contract/monotonic.ts'
import { environmentOf, isRunning, processTable } from './process-table.ts'
import type { ProcessRow } from './process-table.ts'

const TERM_MS = 300
const KILL_MS = 1000
const PAUSE_MS = 10

/** Entries are `NAME=value`. Resolves with the pids that survived; the host itself is never touched. */
export async function endMarked(entries: readonly string[], host: number): Promise<readonly number[]> {
  let left = await signalled(entries, host, 'SIGTERM', TERM_MS)
  if (left.length > 0) left = await signalled(entries, host, 'SIGKILL', KILL_MS)
  return left.map(({ pid }) => pid)
}

const signalled = async (
  entries: readonly string[],
  host: number,
  signal: NodeJS.Signals,
  ms: number,
): Promise<readonly ProcessRow[]> => {
  const deadline = monotonicMs() + ms
  const told = new Set<number>()
  for (;;) {
    const left = marked(entries, host)
    for (const row of left) {
      if (told.has(row.pid) && signal !== 'SIGKILL') continue
      told.add(row.pid)
      send(row, signal)
    }
    if (left.length === 0 || monotonicMs() > deadline) return left
    await sleep(PAUSE_MS)
  }
}

/** What the host started is no older than it; reading the environment of every process is what would cost. */
const marked = (entries: readonly string[], host: number): readonly ProcessRow[] => {
  const table = processTable()
  const since = table.find(({ pid }) => pid === host)?.startTime ?? 0
  return table.filter(
    ({ pid, startTime, zombie }) =>
      !zombie &&
      startTime >= since &&
      pid !== host &&
      pid !== process.pid &&
      carries(environmentOf(pid), entries),
  )
}

const carries = (environment: string | undefined, entries: readonly string[]): boolean =>
  environment?.split('\0').some((variable) => entries.includes(variable)) ?? false

/** What descends from a process and still runs, itself apart. */
export const descendantsOf = (root: number): readonly number[] => {
  const rows = processTable().filter(({ zombie }) => !zombie)
  const found = new Set([root])
  for (let size = 0; size !== found.size;) {
    size = found.size
    for (const { pid, parent } of rows) if (found.has(parent)) found.add(pid)
  }
  found.delete(root)
  return [...found]
}

const send = (row: ProcessRow, signal: NodeJS.Signals): void => {
  try {
    if (isRunning(row)) process.kill(row.pid, signal)
  } catch {
    // Gone already, or not ours to signal: the next reading tells which.
  }
}
