/** All processes that descend from one child: its group, its descendants, and those that carry its marker. */
import { environmentOf, isRunning, onLinux, processTable } from './process-table.ts'
import type { ProcessIdentity, ProcessRow } from './process-table.ts'

export interface TreeRoot extends ProcessIdentity {
  /** The tree's own segment of `SUBGATE_RUN`. */
  readonly runId: string
  /**
   * Whether a group outlives its leader for our purposes. True for a child of this gateway. False for one read
   * from disk: days later the number may have been used again.
   */
  readonly groupOutlivesLeader: boolean
}

export class ProcessTree {
  readonly #root: TreeRoot
  /** Members seen so far: a member whose parent has died is found again by its identity. */
  readonly #known = new Map<number, number>()

  constructor(root: TreeRoot) {
    this.#root = root
    this.#known.set(root.pid, root.startTime)
  }

  /** Reads the table anew. A process that left group, ancestry and environment before the first reading is not found. */
  living(): readonly ProcessRow[] {
    const members = membersOf(this.#root, this.#known, processTable(), environmentOf)
    for (const { pid, startTime } of members) this.#known.set(pid, startTime)
    return members
  }

  /** Signals each member that still is the process it was; refusals by the system show in the next reading. */
  signal(members: readonly ProcessRow[], signal: 'SIGTERM' | 'SIGKILL'): void {
    // Elsewhere the reading that gave the members is the check: asking again costs a process each.
    const present = onLinux ? members.filter(isRunning) : members
    // The group first: the kernel reaches members that were forked since the reading.
    if (present.some((member) => member.group === this.#root.pid)) send(-this.#root.pid, signal)
    for (const { pid, group } of present) if (group !== this.#root.pid) send(pid, signal)
  }
}

/** Pure but for `environment`, which is asked only for processes that are young enough to belong. */
export function membersOf(
  root: TreeRoot,
  known: ReadonlyMap<number, number>,
  table: readonly ProcessRow[],
  environment: (pid: number) => string | undefined,
): readonly ProcessRow[] {
  const young = table.filter(
    (row) => row.startTime >= root.startTime && !row.zombie && row.pid > 1 && row.pid !== process.pid,
  )
  const leader = table.find((row) => row.pid === root.pid)
  const trustsGroup = leader === undefined ? root.groupOutlivesLeader : leader.startTime === root.startTime
  const members = new Map<number, ProcessRow>()
  for (const row of young) {
    const belongs =
      known.get(row.pid) === row.startTime ||
      (trustsGroup && row.group === root.pid) ||
      carriesMarker(environment(row.pid), root.runId)
    if (belongs) members.set(row.pid, row)
  }
  for (let grown = members.size > 0; grown;) {
    const before = members.size
    for (const row of young) if (members.has(row.parent)) members.set(row.pid, row)
    grown = members.size > before
  }
  return [...members.values()]
}

/** `SUBGATE_RUN` is a path of ids: a gateway within a tree appends its own, so the outer one still finds it. */
export function carriesMarker(environment: string | undefined, id: string): boolean {
  if (environment === undefined || !environment.includes(id)) return false
  return environment
    .split('\0')
    .some((entry) => entry.startsWith('SUBGATE_RUN=') && entry.slice(12).split(':').includes(id))
}

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already, or not ours to signal: the next reading tells which.
  }
}
