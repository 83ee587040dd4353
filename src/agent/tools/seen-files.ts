/** Which files a session has read, and as what: a write over anything else would lose what nobody looked at. */
import type { BigIntStats } from 'node:fs'
import type { LargeOutputs } from './tool.ts'

/** Every call of a session holds the same outputs object, and no other session does. */
const sessions = new WeakMap<LargeOutputs, Map<string, string>>()

/** Tells two states of a file apart. */
export const stampOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string =>
  [dev, ino, size, mtimeNs].join(':')

export const rememberSeen = (session: LargeOutputs, real: string, stamp: string): void => {
  const seen = sessions.get(session) ?? new Map<string, string>()
  sessions.set(session, seen.set(real, stamp))
}

export const seenStamp = (session: LargeOutputs, real: string): string | undefined =>
  sessions.get(session)?.get(real)
