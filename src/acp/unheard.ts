/** What of a chat an agent hasn't heard: what others did since its own last turn. */
import type { SessionId } from '../contract/ids.ts'
import { handOver, linesOf } from './hand-over.ts'
import type { HandOver } from './hand-over.ts'
import { historyOf, stretchesOf } from './history.ts'
import type { ChatStore } from './host.ts'

/** All of it for an agent without a session. Undefined when there is nothing to tell. */
export const unheardBy = (
  store: ChatStore,
  chat: { readonly id: string; readonly from?: { readonly id: string; readonly until: number } },
  own: SessionId | undefined,
  titleOf: (provider: string) => string,
): HandOver | undefined => {
  const since = own === undefined ? -Infinity : lastTurn(store, own)
  const others = stretchesOf(store, chat.id, Infinity, chat.from).filter(({ sessionId }) => sessionId !== own)
  if (others.length === 0) return undefined
  const heard = function* (): Generator<{ title: string; entry: ReturnType<ChatStore['read']>[number] }> {
    for (const { stretch, entry } of historyOf(store, others))
      if (entry.at >= since) yield { title: titleOf(stretch.provider), entry }
  }
  return handOver(linesOf(heard()), own !== undefined)
}

/** When its newest run ended, or began. */
const lastTurn = (store: ChatStore, own: SessionId): number => {
  const run = store.runs(own).at(-1)
  return run === undefined ? -Infinity : (run.settledAt ?? run.startedAt)
}
