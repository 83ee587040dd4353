/** The steps of a start between capture and gate: session and authority, cwd, preset (B1.3). */
import { statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { isAbsolute } from 'node:path'
import { SubagentError } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { Preset, PresetSource, ResolvedOrigin, SubagentStartRequest } from '../contract/request.ts'
import type { SessionStore, StoredSession } from '../sessions/store.ts'
import { authorize } from './authority.ts'
import type { CapturedParent } from './capture.ts'
import type { LiveSession } from './live-session.ts'

/** The newest descriptor version that this code understands (B9.1). */
export const DESCRIPTOR_VERSION = 3

export interface ResolvedSession {
  readonly origin: ResolvedOrigin
  /** What is taken up or copied. */
  readonly stored?: StoredSession
  /** The session's agent is still set up here and takes the follow-up itself. */
  readonly live?: LiveSession
}

const notResumable = (sessionId: SessionId, reason: string): SubagentError =>
  new SubagentError(
    'NOT_RESUMABLE',
    'resolve',
    `The session ${sessionId} can't be taken up again: ${reason}.`,
    {
      sessionId,
      reason,
    },
  )

export const sessionBusy = (id: SessionId): SubagentError =>
  new SubagentError('SESSION_BUSY', 'resolve', `A run is open on ${id}. Wait for it, or cancel it.`, {
    sessionId: id,
  })

const isOpen = (stored: StoredSession, live: LiveSession | undefined): boolean =>
  live?.run !== undefined || stored.registers.openRun !== undefined

export const resolveSession = (
  request: SubagentStartRequest,
  provider: string,
  caller: CapturedParent | undefined,
  sessions: ReadonlyMap<SessionId, LiveSession>,
  store: SessionStore,
): ResolvedSession => {
  const from = request.session ?? { from: 'new' as const }
  if (from.from === 'new') return { origin: from }
  const stored = store.get(from.sessionId)
  if (stored === undefined) {
    throw new SubagentError('SESSION_NOT_FOUND', 'resolve', `No session has the id ${from.sessionId}.`, {
      sessionId: from.sessionId,
    })
  }
  authorize(caller?.sessionId, stored.header, (id) => store.get(id)?.header)
  const { header, registers } = stored
  if (header.provider !== provider)
    throw notResumable(header.id, `it belongs to the provider ${header.provider}`)
  if ((registers.descriptor?.version ?? 1) > DESCRIPTOR_VERSION) {
    throw notResumable(header.id, `its descriptor has the unknown version ${registers.descriptor?.version}`)
  }
  const live = sessions.get(header.id)
  if (from.from === 'resume') {
    if (isOpen(stored, live)) {
      throw sessionBusy(header.id)
    }
    if (request.preset !== undefined) throw composition('preset')
  }
  const { nativeId } = registers
  if (from.from === 'resume' && live?.agent?.usable === true) {
    return { origin: { from: 'resume', nativeId: nativeId ?? '' }, stored, live }
  }
  if (nativeId === undefined) throw notResumable(header.id, 'its agent is gone and left no id to find it by')
  if (from.from === 'fork' && from.through !== undefined && from.through !== registers.lastCompleted) {
    throw notResumable(
      header.id,
      `its agent copies at the last completed turn (${registers.lastCompleted}) only`,
    )
  }
  // A copy gets a session of its own, whatever still stands on the one that it copies.
  const takesUp = from.from === 'resume' && live !== undefined
  return { origin: { from: from.from, nativeId }, stored, ...(takesUp && { live }) }
}

const composition = (field: string): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `"${field}" composes a new session; the one that is resumed keeps what it was created with. Leave it out.`,
    { field },
  )

/**
 * Byte-equal to what was asked; refused unless it is an existing directory (C37). At once: a round through the thread
 * pool takes as long as the rest of a start in this process.
 */
export const checkDirectory = (path: string, field: string): void => {
  const refuse = (why: string): never => {
    throw new SubagentError(
      'INVALID_REQUEST',
      'resolve',
      `"${field}" is ${JSON.stringify(path)}, ${why}. Name a directory that exists.`,
      {
        field,
      },
    )
  }
  if (!isAbsolute(path)) refuse('but it must be an absolute path')
  let stats: Stats
  try {
    stats = statSync(path)
  } catch (error) {
    return refuse(`which can't be opened (${(error as NodeJS.ErrnoException).code})`)
  }
  if (!stats.isDirectory()) refuse('which is not a directory')
}

export const resolvePreset = async (
  name: string | undefined,
  cwd: string,
  presets: PresetSource | undefined,
): Promise<Preset | undefined> => {
  if (name === undefined) return undefined
  const preset = await presets?.find(name, cwd)
  if (preset !== undefined) return preset
  const known = (await presets?.names(cwd)) ?? []
  const all = known.length === 0 ? 'None is known here.' : `Known here: ${known.join(', ')}.`
  throw new SubagentError('PRESET_NOT_FOUND', 'resolve', `No preset is named "${name}". ${all}`, {
    preset: name,
    known,
  })
}

/**
 * The composition that a session was created with, for an agent that is set up anew (B9.3). Its policy and model
 * aren't read again: they stand in its events.
 */
export const restorePreset = async (
  { header, registers }: StoredSession,
  cwd: string,
  presets: PresetSource | undefined,
): Promise<Preset | undefined> => {
  const name = registers.descriptor?.preset
  if (name === undefined) return undefined
  const preset = await resolvePreset(name, cwd, presets).catch((error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error)
    throw notResumable(header.id, `the preset "${name}" that it was created with can't be read (${detail})`)
  })
  return preset && present({ name, instructions: preset.instructions, tools: preset.tools })
}
