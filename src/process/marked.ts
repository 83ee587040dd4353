/** Ends the processes that carry a variable of a given value: tools of one session in a process that hosts several. */
import { setTimeout as sleep } from 'node:timers/promises'
import { environmentOf, isRunning, processTable } from './process-table.ts'
import type { ProcessRow } from './process-table.ts'

const TERM_MS = 300
const KILL_MS = 1000
const PAUSE_MS = 10

/** `entry` is `NAME=value`. Resolves with the pids that survived; the host itself is never touched. */
export async function endMarked(entry: string, host: number): Promise<readonly number[]> {
  let left = await signalled(entry, host, 'SIGTERM', TERM_MS)
  if (left.length > 0) left = await signalled(entry, host, 'SIGKILL', KILL_MS)
  return left.map(({ pid }) => pid)
}

const signalled = async (
  entry: string,
  host: number,
  signal: NodeJS.Signals,
  ms: number,
): Promise<readonly ProcessRow[]> => {
  const deadline = performance.now() + ms
  const told = new Set<number>()
  for (;;) {
    const left = marked(entry, host)
    for (const row of left) {
      if (told.has(row.pid) && signal !== 'SIGKILL') continue
      told.add(row.pid)
      send(row, signal)
    }
    if (left.length === 0 || performance.now() > deadline) return left
    await sleep(PAUSE_MS)
  }
}

const marked = (entry: string, host: number): readonly ProcessRow[] =>
  processTable().filter(
    ({ pid, zombie }) => !zombie && pid !== host && pid !== process.pid && carries(environmentOf(pid), entry),
  )

const carries = (environment: string | undefined, entry: string): boolean =>
  environment?.split('\0').includes(entry) ?? false

const send = (row: ProcessRow, signal: NodeJS.Signals): void => {
  try {
    if (isRunning(row)) process.kill(row.pid, signal)
  } catch {
    // Gone already, or not ours to signal: the next reading tells which.
  }
}
