/** Makes a session's log for a run, with the setup events that precede `run/started` (law 4, B3.2). */
import type { SubagentDescriptor } from '../contract/events.ts'
import type { ProviderSession } from '../contract/provider.ts'
import { present } from '../contract/present.ts'
import { prefixThrough } from '../sessions/prefix.ts'
import { EMPTY_REGISTERS } from '../sessions/registers.ts'
import type { Registers } from '../sessions/registers.ts'
import { SessionLog } from '../sessions/session-log.ts'
import type { ChatLink, SessionStore, StoredSession } from '../sessions/store.ts'
import type { Admitted } from './admit.ts'
import { logFault } from './ending.ts'
import type { Surroundings } from './options.ts'
import { DESCRIPTOR_VERSION } from './resolve.ts'
import type { Setup } from './setup.ts'

export interface Publication extends Pick<Admitted, 'registered' | 'request' | 'resolved' | 'parent'> {
  readonly agent: ProviderSession
  readonly setup: Setup
  readonly chat?: ChatLink | undefined
}

/** What a new session begins with: a copied session, or the completed turns that its provider inherits (B8.1). */
const seedOf = ({ resolved, setup }: Publication, store: SessionStore): StoredSession | undefined => {
  if (resolved.origin.from === 'fork') return resolved.stored
  return setup.seed === undefined ? undefined : store.get(setup.seed)
}

const freshLog = (publication: Publication, store: SessionStore, now: () => number): SessionLog => {
  const { request, registered, chat } = publication
  const seed = seedOf(publication, store)
  const through = sharedThrough(publication, seed)
  const prefix = seed === undefined ? [] : prefixThrough(seed.header, through)
  const { sessionId, rootSessionId, parentSessionId, depth, maxDepth, cwd, label, origin } = request
  const header = {
    id: sessionId,
    rootId: rootSessionId,
    ...(parentSessionId !== undefined && { parentId: parentSessionId }),
    provider: registered.provider.name,
    depth,
    ...(maxDepth !== undefined && { maxDepth }),
    cwd,
    ...(label !== undefined && { label }),
    ...(origin.from === 'new' && origin.name !== undefined && { name: origin.name }),
    ...(chat !== undefined && { chat }),
    createdAt: now(),
    prefix,
  }
  return SessionLog.create(store, header, seededRegisters(publication, seed, through), now)
}

/** What the parent completes between the call and the publication isn't shared: the prefix is a snapshot. */
const sharedThrough = ({ parent, setup }: Publication, seed: StoredSession | undefined): number =>
  parent !== undefined && setup.seed === parent.sessionId
    ? parent.lastCompleted
    : (seed?.registers.lastCompleted ?? 0)

/**
 * Policy of a child is what the delegation stamps on it, so that a fork costs the same however long the history is;
 * a copy of a stored session keeps the policy that it had.
 */
const seededRegisters = (
  { parent }: Publication,
  seed: StoredSession | undefined,
  lastCompleted: number,
): Registers => {
  if (seed === undefined) return EMPTY_REGISTERS
  if (parent !== undefined) return { lastCompleted }
  const { sandbox, permissionPreset, approvalPolicy, approvalSource } = seed.registers
  return { lastCompleted, ...present({ sandbox, permissionPreset, approvalPolicy, approvalSource }) }
}

/** What a delegation stamps on a child: policy before composition. */
const recordPreset = (log: SessionLog, { parent }: Publication): void => {
  if (parent?.permissionPreset === undefined) return
  log.append({ type: 'permission/preset', preset: parent.permissionPreset, source: 'delegation' })
}

/** Where the session doesn't stand under it already: a resume that narrows it says so, and children take that. */
const recordSandbox = (log: SessionLog, { request }: Publication): void => {
  if (request.sandbox === undefined || request.sandbox === log.registers.sandbox) return
  // A preset that is wider than the parent's override leaves that as it is.
  const asked = request.requested.sandbox !== undefined || request.preset?.sandbox === request.sandbox
  log.append({ type: 'sandbox/mode', mode: request.sandbox, source: asked ? 'request' : 'delegation' })
}

/** Of a copy that stands under a historical composition, the descriptor that holds it. */
const copied = ({ request, resolved }: Publication): SubagentDescriptor | undefined =>
  request.persona === undefined && request.toolFilter === undefined
    ? undefined
    : resolved.stored?.registers.descriptor

const recordDescriptor = (log: SessionLog, publication: Publication): void => {
  const { request, registered, agent } = publication
  const { parentSessionId, preset } = request
  // What a child inherited stays its own; a root that asked for no model follows its deployment's.
  const model = request.model ?? (parentSessionId === undefined ? undefined : agent.model)
  const { persona, toolFilter } = request
  // A root's composition is needed again when its agent is set up anew.
  if (
    parentSessionId === undefined &&
    [preset, model, persona, toolFilter].every((part) => part === undefined)
  )
    return
  log.append({
    type: 'subagent/descriptor',
    version: copied(publication)?.version ?? DESCRIPTOR_VERSION,
    provider: registered.provider.name,
    mode: request.keep ? 'kept' : 'one-shot',
    ...present({ label: request.label, preset: preset?.name, model, persona, toolFilter }),
  })
}

/** A new session's log is invisible until the run's `run/started` is appended. */
export const publish = (
  publication: Publication,
  { store, now }: Pick<Surroundings, 'store' | 'now'>,
): SessionLog => {
  try {
    return prepare(publication, store, now)
  } catch (error) {
    throw logFault(error, publication.registered.provider.name, 'session')
  }
}

const prepare = (publication: Publication, store: SessionStore, now: () => number): SessionLog => {
  const { resolved } = publication
  const resumed = resolved.origin.from === 'resume' ? resolved.stored : undefined
  const log =
    resolved.live?.log ??
    (resumed && SessionLog.reopen(store, resumed.header.id, now)) ??
    freshLog(publication, store, now)
  log.hold()
  try {
    recordSetup(log, publication, resumed !== undefined)
  } catch (error) {
    log.drop()
    throw error
  }
  return log
}

const recordSetup = (log: SessionLog, publication: Publication, resumed: boolean): void => {
  const { agent, setup } = publication
  if (!resumed) recordPreset(log, publication)
  recordSandbox(log, publication)
  setup.publishTo(log)
  if (!resumed) recordDescriptor(log, publication)
  if (agent.nativeId !== undefined && agent.nativeId !== log.registers.nativeId) {
    log.append({ type: 'session/native_id', nativeId: agent.nativeId })
  }
}
