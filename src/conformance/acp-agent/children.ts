/** The wire form of children as sessions (the protocol's subagent sessions), read from what an agent wrote. Pure. */
import { isRecord } from '../../contract/json.ts'
import { updateOf } from './message.ts'
import type { Heard } from './message.ts'

export interface Announcement {
  readonly id: unknown
  readonly parent: unknown
  /** The client may cancel it, by its newest announcement that says so. */
  readonly cancel: boolean
}

const CHILD_UPDATES: ReadonlySet<unknown> = new Set([
  'subagent_update',
  'session_message',
  'session_message_chunk',
])

interface Told {
  readonly parent: unknown
  readonly update: Readonly<Record<string, unknown>>
}

const told = (heard: readonly Heard[]): readonly Told[] =>
  heard.flatMap((message) => {
    const found = updateOf(message)
    return found?.update['sessionUpdate'] === 'subagent_update'
      ? [{ parent: found.sessionId, update: found.update }]
      : []
  })

/** Each child once, with the parent of its first announcement. */
export const announcedIn = (heard: readonly Heard[]): readonly Announcement[] => {
  const found = new Map<unknown, Announcement>()
  for (const { parent, update } of told(heard)) {
    const id = update['sessionId']
    const { capabilities } = update
    const before = found.get(id)
    const cancel =
      capabilities === undefined
        ? (before?.cancel ?? false)
        : isRecord(capabilities) && isRecord(capabilities['cancel'])
    found.set(id, { id, parent: before?.parent ?? parent, cancel })
  }
  return [...found.values()]
}

/** Every state that was reported of a child, in order. */
export const statesOf = (
  heard: readonly Heard[],
  id: unknown,
): readonly Readonly<Record<string, unknown>>[] =>
  told(heard).flatMap(({ update }) =>
    update['sessionId'] === id && isRecord(update['state']) ? [update['state']] : [],
  )

/** Something that a client without subagents must not see. */
export const isChildMark = (message: Heard): boolean => {
  const update = updateOf(message)?.update ?? {}
  return CHILD_UPDATES.has(update['sessionUpdate']) || linkedIn(update).length > 0
}

/** The sessions that a message of the agent belongs to or points to; a new announcement doesn't count as its child. */
export const idsNamedBy = (message: Heard): readonly unknown[] => {
  const { kind, params } = message
  if (kind !== 'request' && kind !== 'notification') return []
  const own = isRecord(params) && 'sessionId' in params ? [params['sessionId']] : []
  const update = updateOf(message)?.update ?? {}
  const ends = [update['senderSessionId'], update['recipientSessionId']].filter(
    (id) => id !== undefined && id !== null,
  )
  return [...own, ...ends, ...linkedIn(update)]
}

/** Content of a tool call that stands for a child. */
const linkedIn = ({ content }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  (Array.isArray(content) ? content.filter(isRecord) : [])
    .filter(({ type }) => type === 'session')
    .map(({ sessionId }) => sessionId)
