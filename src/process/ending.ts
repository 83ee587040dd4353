/** Ends a whole process tree: input closed, TERM, KILL, each with its grace, until nothing of it lives. */
import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '../contract/monotonic.ts'
import type { Graces } from './graces.ts'
import type { ProcessRow } from './process-table.ts'

const LONGEST_PAUSE_MS = 50

/** What is to be ended, read anew each time. */
export interface Ending {
  living(): readonly ProcessRow[]
  signal(members: readonly ProcessRow[], signal: 'SIGTERM' | 'SIGKILL'): void
}

/** Resolves with the pids that survived KILL, or that we may not signal. */
export async function endTree(
  tree: Ending,
  graces: Graces,
  leaderGone: Promise<unknown> = Promise.resolve(),
): Promise<readonly number[]> {
  const deadline = monotonicMs() + graces.eofMs
  await within(leaderGone, graces.eofMs)
  let left = await untilGone(tree, deadline - monotonicMs())
  if (left.length === 0) return []
  tree.signal(left, 'SIGTERM')
  left = await untilGone(tree, graces.termMs)
  if (left.length === 0) return []
  left = await untilGone(tree, graces.killMs, (members) => tree.signal(members, 'SIGKILL'))
  return left.map(({ pid }) => pid)
}

/** Whichever comes first; the timer doesn't outlive it. */
export async function within(event: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController()
  const limit = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined)
  await Promise.race([event, limit])
  timer.abort()
}

const untilGone = async (
  tree: Ending,
  ms: number,
  each: (members: readonly ProcessRow[]) => void = () => undefined,
): Promise<readonly ProcessRow[]> => {
  const deadline = monotonicMs() + ms
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const members = tree.living()
    if (members.length === 0) return members
    each(members)
    const remaining = deadline - monotonicMs()
    if (remaining <= 0) return members
    await sleep(Math.min(pause, remaining))
  }
}
