/** Who may take the next slot: the rules of the queue that processes share. Pure. */

export interface SlotRow {
  readonly ticket: string
  readonly provider: string
  readonly comes_back: number
  readonly total_limit: number
  /** Null where only the total counts. */
  readonly provider_limit: number | null
}

/** Slots taken. */
export interface Counted {
  readonly total: number
  readonly own: (provider: string) => number
}

export type Pauses = (provider: string) => boolean

/** What had its slot before doesn't start anew, so that no pause holds it back. */
export const couldRun = (row: SlotRow, { total, own }: Counted, paused: Pauses): boolean =>
  (row.comes_back === 1 || !paused(row.provider)) &&
  total < row.total_limit &&
  own(row.provider) < (row.provider_limit ?? Number.POSITIVE_INFINITY)

/** Whether one that came before could take the slot; `queue` is in its order. Who gives no sign holds up nobody. */
export const heldBack = <Row extends SlotRow>(
  own: Row,
  queue: readonly Row[],
  counted: Counted,
  paused: Pauses,
  isSilent: (row: Row) => boolean,
): boolean =>
  queue.slice(0, queue.indexOf(own)).some((row) => couldRun(row, counted, paused) && !isSilent(row))
