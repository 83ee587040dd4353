/** In which state a stored session is, as people are told. Pure. */
import type { RunStatus } from '../../contract/result.ts'
import type { ListedSession } from '../../gateway-store.ts'

/**
 * `lost`: its run is open, but the process that ran it is gone. `idle`: kept, and a process holds it open.
 * `ready`: kept in the store, and can be resumed. Otherwise how its last run ended.
 */
export type SessionState = 'needs_you' | 'running' | 'lost' | 'idle' | 'ready' | RunStatus

export type Judged = Pick<ListedSession, 'header' | 'registers' | 'owner'>

export const stateOf = ({ header, registers, owner }: Judged): SessionState => {
  const { openRun, asked = [], descriptor, lastStatus } = registers
  const held = owner !== undefined
  if (openRun !== undefined) {
    if (!held) return 'lost'
    return asked.length > 0 ? 'needs_you' : 'running'
  }
  const kept = header.name !== undefined || descriptor?.mode === 'kept'
  if (held && kept) return 'idle'
  return kept || lastStatus === undefined ? 'ready' : lastStatus
}

export const isOpen = (state: SessionState): boolean =>
  state === 'needs_you' || state === 'running' || state === 'lost'

export const stateWords = (state: SessionState): string => state.replace('_', ' ')
