/** Finds from where a delegation comes: by its token, else by the processes above it, else it is a root (B2.7). */
import type { ProcessRecord } from '../contract/process-record.ts'
import { invalidLineage, verifyLineage } from './token.ts'
import type { LineageClaims } from './token.ts'

export interface LineageSources {
  /** As it stands in the environment: an empty one is present, and no valid token. */
  readonly token: string | undefined
  readonly key: () => Uint8Array
  readonly records: () => readonly ProcessRecord[]
  readonly isLive: (record: ProcessRecord) => boolean
  /** The processes above the caller, nearest first. */
  readonly ancestors: () => readonly { readonly pid: number; readonly startTime: number }[]
}

/** Undefined = a root. Throws `LINEAGE_INVALID` for a token that is forged, foreign, or outlived its run. */
export function resolveLineage(sources: LineageSources): LineageClaims | undefined {
  if (sources.token === undefined) return fromAncestors(sources)
  const claims = verifyLineage(sources.token, sources.key())
  const alive = sources
    .records()
    .some((record) => record.sessionId === claims.session && record.idle !== true && sources.isLive(record))
  if (!alive) throw invalidLineage('the run that it was given to has ended')
  return claims
}

const fromAncestors = ({ records, isLive, ancestors }: LineageSources): LineageClaims | undefined => {
  const known = records()
  if (known.length === 0) return undefined
  for (const { pid, startTime } of ancestors()) {
    const record = known.find(
      (candidate) => candidate.pid === pid && candidate.startTime === startTime && isLive(candidate),
    )
    if (record !== undefined) return claimsOf(record)
  }
  return undefined
}

const claimsOf = ({ rootSessionId, sessionId, depth, maxDepth }: ProcessRecord): LineageClaims => ({
  root: rootSessionId,
  session: sessionId,
  depth,
  ...(maxDepth === undefined ? {} : { maxDepth }),
})
