/** Events of the root session's log as ACP notifications. Pure. */
import type { SessionUpdate } from '../contract/content.ts'
import { isRecord } from '../contract/json.ts'
import type { Notice, SessionEvent } from '../contract/events.ts'
import type { Takes } from './params.ts'
import { present } from '../contract/present.ts'

export interface Notification {
  readonly update: SessionUpdate
  readonly _meta?: { readonly subgate: { readonly late: true } }
}

const TEXT: ReadonlySet<string> = new Set(['agent_message_chunk', 'agent_thought_chunk'])

/** What the agent says and thinks: every editor has it as it is, and nothing else that is shown hangs on it. */
export const textOf = (event: SessionEvent): Notification | undefined =>
  event.type === 'session/update' && TEXT.has(event.update.sessionUpdate)
    ? { update: event.update }
    : undefined

/** A gateway on the other side takes its data back from `_meta`. */
const notice = ({ severity, title, detail, data }: Notice): SessionUpdate => ({
  sessionUpdate: 'notice',
  ...present({ severity, title, description: detail }),
  _meta: { subgate: present({ data }) },
})

/** What the built-in agent hears is in its log, marked: the prompt itself, and statements that are for it alone. */
const isEcho = (update: SessionUpdate): boolean => {
  if (update.sessionUpdate !== 'user_message_chunk') return false
  const { _meta: meta } = update as { readonly _meta?: unknown }
  const subgate = isRecord(meta) && isRecord(meta['subgate']) ? meta['subgate'] : {}
  return subgate['prompt'] === true || subgate['context'] === true
}

/** What the editor is told of an event: nothing of the edges, which have answers of their own. */
export const notificationsOf = (event: SessionEvent, takes: Takes): readonly Notification[] => {
  if (event.type === 'session/update')
    return isEcho(event.update) && !takes.echoes ? [] : [{ update: event.update }]
  if (event.type === 'session/late_update')
    return [{ update: event.update, _meta: { subgate: { late: true } } }]
  return event.type === 'notice' && takes.notices ? [{ update: notice(event) }] : []
}
