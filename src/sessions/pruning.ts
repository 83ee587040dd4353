/** Which stored trees of sessions are old enough to go. Pure. */
import type { SessionId } from '../contract/ids.ts'
import type { ListedSession } from './store.ts'

export interface PruneRule {
  /** Trees in which nothing has changed for so long. */
  readonly olderThanMs: number
  /** So many of the newest trees stay, however old they are. */
  readonly keep: number
}

export interface Prunable {
  /** Of each tree that goes, its root first; oldest tree last. */
  readonly trees: readonly (readonly ListedSession[])[]
  /** Trees that would go, but are open or held by a process. */
  readonly held: number
}

/** A tree goes as a whole, or stays as a whole. */
export const prunable = (
  sessions: readonly ListedSession[],
  { olderThanMs, keep }: PruneRule,
  now: number,
): Prunable => {
  const trees = [...Map.groupBy(sessions, ({ header }) => header.rootId).values()]
    .map((tree) => tree.toSorted((one, other) => one.header.depth - other.header.depth))
    .toSorted((one, other) => changed(other) - changed(one))
  const old = trees.slice(keep).filter((tree) => now - changed(tree) >= olderThanMs)
  const isHeld = (tree: readonly ListedSession[]): boolean =>
    tree.some(({ registers, owner }) => registers.openRun !== undefined || owner !== undefined)
  const going = old.filter((tree) => !isHeld(tree))
  return { trees: going, held: old.length - going.length }
}

const changed = (tree: readonly ListedSession[]): number => Math.max(...tree.map(({ at }) => at))

/** Children before their parents. */
export const inOrder = (trees: readonly (readonly ListedSession[])[]): readonly SessionId[] =>
  trees.flatMap((tree) => tree.toReversed().map(({ header }) => header.id))
