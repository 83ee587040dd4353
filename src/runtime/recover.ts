/** Settles the runs that dead processes left open, with what their logs hold (law 13, C14). */
import { SubagentError } from '../contract/errors.ts'
import type { RunSettled } from '../contract/events.ts'
import type { RunId, SessionId } from '../contract/ids.ts'
import type { Logger } from '../contract/logger.ts'
import type { Denial } from '../contract/result.ts'
import { RunFold } from '../sessions/run-fold.ts'
import { SessionLog } from '../sessions/session-log.ts'
import type { Store } from '../sessions/store.ts'
import { settlementNotice } from './notice.ts'

const PAGE = 256

export interface RecoveryOptions {
  readonly store: Store
  readonly now: () => number
  readonly log: Logger
}

/** Resolves with the sessions that were closed. One that can't be is logged, and left for the next start. */
export const recoverLost = async ({ store, now, log }: RecoveryOptions): Promise<readonly SessionId[]> => {
  const closed: SessionId[] = []
  for (const id of store.lost()) {
    try {
      // What somebody has taken up meanwhile is theirs.
      if (!(await store.takeOver(id))) continue
    } catch (error) {
      log.warn({ error, sessionId: id }, 'a run that its process left open could not be taken over')
      continue
    }
    try {
      await close(store, id, now)
      closed.push(id)
    } catch (error) {
      log.warn({ error, sessionId: id }, 'a run that its process left open could not be settled')
    } finally {
      store.release(id)
    }
  }
  await store.forgetDead()
  return closed
}

const close = async (store: Store, id: SessionId, now: () => number): Promise<void> => {
  const session = SessionLog.reopen(store, id, now)
  const run = session?.registers.openRun
  if (session === undefined || run === undefined) return
  for (const asked of session.registers.asked ?? []) {
    session.append(
      { type: 'permission/resolved', id: asked, outcome: { outcome: 'cancelled' }, by: 'cancel' },
      run,
    )
  }
  const heard = foldOf(store, id, run)
  const settled = interrupted(store, run, now(), heard.denied)
  const notice = settlementNotice(session, run, settled, heard.text, now())
  session.append(settled, run, { together: notice })
  await session.flushed()
}

/** What the run had said by then, and what it had been denied. */
const foldOf = (store: Store, id: SessionId, run: RunId): RunFold => {
  const fold = new RunFold()
  let after = (store.run(run)?.firstSeq ?? 1) - 1
  for (;;) {
    const page = store.read(id, after, PAGE)
    for (const { event, runId } of page) if (runId === run) fold.take(event)
    if (page.length < PAGE) return fold
    after = page.at(-1)?.seq ?? after
  }
}

const interrupted = (store: Store, run: RunId, now: number, denied: readonly Denial[]): RunSettled => {
  const error = new SubagentError(
    'OWNER_LOST',
    'prompt',
    'The process that owned the run died before it ended. What it had written by then is kept; start again, or resume the session.',
    {},
  )
  return {
    type: 'run/settled',
    status: 'interrupted',
    category: 'owner_lost',
    denied,
    error: error.toJSON(),
    durationMs: Math.max(now - (store.run(run)?.startedAt ?? now), 0),
  }
}
