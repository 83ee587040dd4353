/** Ends some processes of a tree that lives on: what a session left running in a process that others share. */
import { endTree } from './ending.ts'
import type { Graces } from './graces.ts'
import { isRunning } from './process-table.ts'
import type { ProcessRow } from './process-table.ts'

/** What is already on its way out may go by itself. */
export const LEFTOVER_GRACES: Graces = { eofMs: 1000, termMs: 500, killMs: 2000 }

/** `which` is read anew until it is empty. Resolves with the pids that survived. */
export const endLeftovers = (
  which: () => readonly ProcessRow[],
  graces: Graces = LEFTOVER_GRACES,
): Promise<readonly number[]> => endTree({ living: which, signal }, graces)

const signal = (rows: readonly ProcessRow[], name: NodeJS.Signals): void => {
  for (const row of rows) {
    try {
      if (isRunning(row)) process.kill(row.pid, name)
    } catch {
      // Gone already, or not ours to signal: the next reading tells which.
    }
  }
}
