/** Makes a session's log for a run, with the setup events that precede `run/started` (law 4, B3.2). */
import type { ProviderSession } from '../contract/provider.ts'
import { prefixThrough } from '../sessions/prefix.ts'
import { EMPTY_REGISTERS, foldRegisters } from '../sessions/registers.ts'
import { SessionLog } from '../sessions/session-log.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { Admitted } from './admit.ts'
import { logFault } from './ending.ts'
import type { Surroundings } from './options.ts'
import { DESCRIPTOR_VERSION } from './resolve.ts'
import type { Setup } from './setup.ts'

export interface Publication extends Pick<Admitted, 'registered' | 'request' | 'resolved' | 'parent'> {
  readonly agent: ProviderSession
  readonly setup: Setup
}

const freshLog = (
  { request, registered, resolved }: Publication,
  store: SessionStore,
  now: () => number,
): SessionLog => {
  const { stored, origin } = resolved
  const through = stored?.registers.lastCompleted ?? 0
  const prefix = origin.from === 'fork' && stored !== undefined ? prefixThrough(stored.header, through) : []
  const { sessionId, rootSessionId, parentSessionId, depth, maxDepth, cwd, label } = request
  const header = {
    id: sessionId,
    rootId: rootSessionId,
    ...(parentSessionId !== undefined && { parentId: parentSessionId }),
    provider: registered.provider.name,
    depth,
    ...(maxDepth !== undefined && { maxDepth }),
    cwd,
    ...(label !== undefined && { label }),
    createdAt: now(),
    prefix,
  }
  const inherited =
    stored === undefined ? EMPTY_REGISTERS : foldRegisters(store.read(stored.header.id, 0, through))
  const { nativeId: _, ...registers } = inherited
  return SessionLog.create(store, header, registers, now)
}

/** What a delegation stamps on a child: policy before composition. */
const recordPreset = (log: SessionLog, { parent }: Publication): void => {
  if (parent?.permissionPreset === undefined) return
  log.append({ type: 'permission/preset', preset: parent.permissionPreset, source: 'delegation' })
}

/** Where the session doesn't stand under it already: a resume that narrows it says so, and children take that. */
const recordSandbox = (log: SessionLog, { request }: Publication): void => {
  if (request.sandbox === undefined || request.sandbox === log.registers.sandbox) return
  const inherited = request.requested.sandbox === undefined
  log.append({ type: 'sandbox/mode', mode: request.sandbox, source: inherited ? 'delegation' : 'request' })
}

const recordDescriptor = (log: SessionLog, { request, registered }: Publication): void => {
  if (request.parentSessionId === undefined) return
  log.append({
    type: 'subagent/descriptor',
    version: DESCRIPTOR_VERSION,
    provider: registered.provider.name,
    mode: request.keep ? 'kept' : 'one-shot',
    ...(request.label !== undefined && { label: request.label }),
    ...(request.preset !== undefined && { preset: request.preset.name }),
    ...(request.model !== undefined && { model: request.model }),
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
  const { resolved, agent, setup } = publication
  const resumed = resolved.origin.from === 'resume' ? resolved.stored : undefined
  const log =
    resolved.live?.log ??
    (resumed && SessionLog.reopen(store, resumed.header.id, now)) ??
    freshLog(publication, store, now)
  if (resumed === undefined) recordPreset(log, publication)
  recordSandbox(log, publication)
  if (resumed === undefined) {
    setup.publishTo(log)
    recordDescriptor(log, publication)
  } else {
    setup.publishTo(log)
  }
  if (agent.nativeId !== undefined && agent.nativeId !== log.registers.nativeId) {
    log.append({ type: 'session/native_id', nativeId: agent.nativeId })
  }
  return log
}
