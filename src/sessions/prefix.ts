/** A fork's shared history as flat (session, count) pairs, so that its cost doesn't grow with the history (B8.2). */
import type { PrefixPart, SessionHeader } from './store.ts'

/** The pairs that make up the first `through` events of a session. */
export const prefixThrough = (header: SessionHeader, through: number): readonly PrefixPart[] => {
  const parts: PrefixPart[] = []
  let left = through
  for (const part of [...header.prefix, { sessionId: header.id, count: Number.POSITIVE_INFINITY }]) {
    const count = Math.min(part.count, left)
    if (count > 0) parts.push({ ...part, count })
    left -= count
  }
  return parts
}

export const prefixLength = (prefix: readonly PrefixPart[]): number =>
  prefix.reduce((sum, { count }) => sum + count, 0)

/** How many events of a session's log are a fork's shared history. */
export const inheritedEventCount = ({ prefix }: Pick<SessionHeader, 'prefix'>): number => prefixLength(prefix)

/** Where its own events begin: what tells of a session as it goes must not tell the shared ones again (B3.4). */
export const firstLiveSeq = (header: Pick<SessionHeader, 'prefix'>): number => inheritedEventCount(header) + 1
