/** What is written to disk of every process that the gateway starts, before its first byte (design.md §6). */
import type { SessionId } from './ids.ts'
import { present } from './present.ts'

export interface ProcessRecord {
  readonly pid: number
  /** Kernel start time in clock ticks since boot: with the pid, the identity of a process. */
  readonly startTime: number
  readonly bootId: string
  /** Value of `SUBGATE_RUN` that marks the tree. */
  readonly marker: string
  readonly command: string
  readonly sessionId: SessionId
  readonly rootSessionId: SessionId
  readonly depth: number
  readonly maxDepth?: number
  /** It is kept for the next session; the one that is named here has ended. */
  readonly idle?: boolean
  readonly gateway: { readonly pid: number; readonly startTime: number; readonly id: string }
}

/** The facts of a record that the session knows before its process exists. */
export type ProcessOwner = Pick<ProcessRecord, 'sessionId' | 'rootSessionId' | 'depth' | 'maxDepth'>

/** Whom a process of this session works for. */
export const ownerOf = ({ sessionId, rootSessionId, depth, maxDepth }: ProcessOwner): ProcessOwner => ({
  sessionId,
  rootSessionId,
  depth,
  ...present({ maxDepth }),
})
