/** Gives imported sessions and their runs ids of their own, wherever the old ones are named. Pure. */
import type { LogEntry, SessionEvent } from '../../contract/events.ts'
import { runId, sessionId } from '../../contract/ids.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import type { Letter } from '../../contract/letters.ts'
import { present } from '../../contract/present.ts'
import type { WholeSession } from './format.ts'

interface Renaming {
  readonly session: <T extends SessionId | undefined>(id: T) => T
  readonly run: <T extends RunId | undefined>(id: T) => T
}

const renaming = (sessions: readonly WholeSession[], newId: () => string): Renaming => {
  const ids = new Map<string, SessionId>()
  const runs = new Map<string, RunId>()
  for (const { header, entries } of sessions) {
    ids.set(header.id, sessionId(`ses_${newId()}`))
    for (const { runId: run } of entries) {
      if (run !== undefined && !runs.has(run)) runs.set(run, runId(`run_${newId()}`))
    }
  }
  return {
    // An id that the file only mentions stays what it is.
    session: (id) => (id === undefined ? id : (ids.get(id) ?? id)) as typeof id,
    run: (id) => (id === undefined ? id : (runs.get(id) ?? id)) as typeof id,
  }
}

const renameLetter = (letter: Letter, { session, run }: Renaming): Letter => ({
  ...letter,
  to: session(letter.to),
  ...present({ from: session(letter.from) }),
  ...(letter.kind === 'settled' && present({ runId: run(letter.runId) })),
})

const renameEvent = (event: SessionEvent, names: Renaming): SessionEvent => {
  switch (event.type) {
    case 'run/started':
      return { ...event, ...present({ parentSessionId: names.session(event.parentSessionId) }) }
    case 'session/native_id':
      // An agent of ours knows its conversation by our id.
      return { ...event, nativeId: names.session(sessionId(event.nativeId)) }
    case 'letter/received':
      return { ...event, letter: renameLetter(event.letter, names) }
    default:
      return event
  }
}

const renameEntry = (entry: LogEntry, names: Renaming): LogEntry => ({
  ...entry,
  ...present({ runId: names.run(entry.runId) }),
  event: renameEvent(entry.event, names),
})

/** Runs that several of the sessions share, as a copy does with what it was copied from, stay shared. */
export const withNewIds = (
  sessions: readonly WholeSession[],
  newId: () => string,
): readonly WholeSession[] => {
  const names = renaming(sessions, newId)
  return sessions.map(({ header, entries, ...rest }) => ({
    ...rest,
    header: {
      ...header,
      id: names.session(header.id),
      rootId: names.session(header.rootId),
      ...present({ parentId: names.session(header.parentId) }),
    },
    entries: entries.map((entry) => renameEntry(entry, names)),
  }))
}
