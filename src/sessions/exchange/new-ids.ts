/** Gives imported sessions and their runs ids of their own, wherever the old ones are named. Pure. */
import type { LogEntry, SessionEvent } from '../../contract/events.ts'
import { runId, sessionId } from '../../contract/ids.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import type { Letter } from '../../contract/letters.ts'
import { present } from '../../contract/present.ts'
import type { ChatLink } from '../store.ts'
import type { WholeSession } from './format.ts'

interface Renaming {
  readonly chat: (chat: ChatLink | undefined) => ChatLink | undefined
  readonly session: <T extends SessionId | undefined>(id: T) => T
  readonly run: <T extends RunId | undefined>(id: T) => T
}

const renaming = (sessions: readonly WholeSession[], newId: () => string): Renaming => {
  const ids = new Map<string, SessionId>()
  const runs = new Map<string, RunId>()
  const chats = new Map<string, string>()
  for (const { header, entries } of sessions) {
    ids.set(header.id, sessionId(`ses_${newId()}`))
    const { chat } = header
    if (chat !== undefined && !chats.has(chat.id)) chats.set(chat.id, `chat_${newId()}`)
    for (const { runId: run } of entries) {
      if (run !== undefined && !runs.has(run)) runs.set(run, runId(`run_${newId()}`))
    }
  }
  // A chat that began as a session of its own is called by that session's id.
  const nameOf = (chat: string): string => ids.get(chat) ?? chats.get(chat) ?? chat
  return {
    chat: (chat) =>
      chat && {
        id: nameOf(chat.id),
        ...present({ from: chat.from && { ...chat.from, id: nameOf(chat.from.id) } }),
      },
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
      ...present({ parentId: names.session(header.parentId), chat: names.chat(header.chat) }),
    },
    entries: entries.map((entry) => renameEntry(entry, names)),
  }))
}
