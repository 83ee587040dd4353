/** Reads a session's conversation back from its log, so that a long one holds nobody up. */
import { setImmediate } from 'node:timers/promises'
import { foldHistory, History } from '../../agent/history.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { SessionStore } from '../../sessions/store.ts'

const PAGE = 1024

/** A long one is read page by page between other work: a start doesn't wait for it, and neither do other sessions. */
export const conversationOf = async (store: SessionStore, id: SessionId): Promise<History> => {
  const history = new History()
  const upTo = store.get(id)?.lastSeq ?? 0
  for (let after = 0; after < upTo;) {
    if (upTo > PAGE) await setImmediate()
    const page = store.read(id, after, Math.min(PAGE, upTo - after))
    const last = page.at(-1)
    if (last === undefined) break
    foldHistory(page, history)
    after = last.seq
  }
  return history
}
