/** What a child takes from its parent, read before the first `await` of a start (law 12, B3.1). Pure reads. */
import type { SessionId } from '../contract/ids.ts'
import type { RunLimits, SandboxMode, SubagentStartRequest } from '../contract/request.ts'
import { EMPTY_REGISTERS } from '../sessions/registers.ts'
import { invalidLineage } from '../lineage/token.ts'
import type { LineageClaims } from '../lineage/token.ts'
import { lowest } from './depth.ts'
import { remainingLimits } from './inherit-limits.ts'
import type { ParentDepth } from './depth.ts'
import type { LiveSession } from './live-session.ts'
import type { Surroundings } from './options.ts'

export interface CapturedParent extends ParentDepth {
  readonly sessionId: SessionId
  readonly rootId: SessionId
  readonly live?: LiveSession
  readonly cwd?: string
  /** The parent's explicit override; never a deployment default. */
  readonly sandbox?: SandboxMode
  /** What the parent's open run was asked to keep to, or inherited. */
  readonly limits?: RunLimits
  /** Inherited as an identity, never inferred (B3.9). */
  readonly permissionPreset?: string
  /** Where its last completed turn ended: a fork shares no more than was there at the call (B8.1). */
  readonly lastCompleted: number
}

/** `unknown` names a parent that this runtime has never heard of. */
export type Captured = { readonly parent?: CapturedParent; readonly unknown?: SessionId }

const INHERITED_PRESETS: ReadonlySet<string> = new Set(['auto', 'danger-full-access'])

/** A run that isn't stored yet, or whose host keeps its sessions elsewhere, is known by what its token says. */
const byToken = ({ session, root, depth, maxDepth, sandbox }: LineageClaims): CapturedParent => ({
  sessionId: session,
  rootId: root,
  depth,
  lastCompleted: 0,
  ...(maxDepth !== undefined && { maxDepth }),
  ...(sandbox !== undefined && { sandbox }),
})

/** `parent` names a session; without it a lineage token makes this start a child too, of a run in another process. */
export const capture = (
  request: SubagentStartRequest,
  sessions: ReadonlyMap<SessionId, LiveSession>,
  { store, lineage, now }: Pick<Surroundings, 'store' | 'lineage' | 'now'>,
): Captured => {
  const ancestor = request.parent === undefined ? lineage?.ancestor : undefined
  const id = request.parent?.sessionId ?? ancestor?.session
  if (id === undefined) return {}
  const live = sessions.get(id)
  const stored = store.get(id)
  const header = live?.log.header ?? stored?.header
  if (header === undefined) return ancestor === undefined ? { unknown: id } : { parent: byToken(ancestor) }
  const open = live?.run?.request
  // A follow-up may have lowered the cap that the header was made with.
  const registers = live?.log.registers ?? stored?.registers ?? EMPTY_REGISTERS
  // A token is valid while the run that it was given to is open.
  if (ancestor !== undefined && registers.openRun === undefined)
    throw invalidLineage('the run that it was given to has ended')
  const own = (open ?? live?.opened)?.maxDepth ?? header.maxDepth
  const maxDepth = lowest([own, registers.maxDepth, ancestor?.maxDepth])
  const { sandbox, permissionPreset, lastCompleted, openLimits } = registers
  const limits = open?.limits ?? (openLimits && remainingLimits(openLimits, now()))
  return {
    parent: {
      sessionId: id,
      rootId: header.rootId,
      // The greater of what is stored and what lives: neither a restart nor a resume lowers it (B2.1).
      depth: Math.max(header.depth, stored?.header.depth ?? 0, ancestor?.depth ?? 0),
      cwd: header.cwd,
      lastCompleted,
      ...(live !== undefined && { live }),
      ...(maxDepth !== undefined && { maxDepth }),
      ...(limits !== undefined && { limits }),
      ...(sandbox !== undefined && { sandbox }),
      ...(permissionPreset !== undefined && INHERITED_PRESETS.has(permissionPreset) && { permissionPreset }),
    },
  }
}
