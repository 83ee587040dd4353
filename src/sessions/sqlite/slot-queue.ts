/** Who may take the next slot: the rules of the queue that processes share. Pure. */

export interface SlotRow {
  readonly ticket: string
  readonly provider: string
  readonly comes_back: number
  readonly total_limit: number
  /** Null where only the total counts. */
  readonly provider_limit: number | null
  /** The owner's last sign of life. */
  readonly seen_at: number | null
}

/** Slots taken. */
export interface Counted {
  readonly total: number
  readonly own: (provider: string) => number
}

export type Pauses = (provider: string) => boolean

/** A process that gave no sign for so long holds up nobody. */
const SILENT_MS = 30_000

/** What had its slot before doesn't start anew, so that no pause holds it back. */
export const couldRun = (row: SlotRow, { total, own }: Counted, paused: Pauses): boolean =>
  (row.comes_back === 1 || !paused(row.provider)) &&
  total < row.total_limit &&
  own(row.provider) < (row.provider_limit ?? Number.POSITIVE_INFINITY)

/** Whether one that came before could take the slot; `queue` is in its order. */
export const heldBack = (
  own: SlotRow,
  queue: readonly SlotRow[],
  counted: Counted,
  paused: Pauses,
  now: number,
): boolean =>
  queue
    .slice(0, queue.indexOf(own))
    .some((row) => now - (row.seen_at ?? 0) < SILENT_MS && couldRun(row, counted, paused))
