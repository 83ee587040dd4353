/** Events of the root session's log as ACP notifications. Pure. */
import type { SessionUpdate } from '../contract/content.ts'
import type { Notice, SessionEvent } from '../contract/events.ts'
import { present } from '../contract/present.ts'

export interface Notification {
  readonly update: SessionUpdate
  readonly _meta?: { readonly subgate: { readonly late: true } }
}

/** A gateway on the other side takes its data back from `_meta`. */
const notice = ({ severity, title, detail, data }: Notice): SessionUpdate => ({
  sessionUpdate: 'notice',
  ...present({ severity, title, description: detail }),
  _meta: { subgate: present({ data }) },
})

/** What the editor is told of an event: nothing of the edges, which have answers of their own. */
export const notificationsOf = (event: SessionEvent, takesNotices: boolean): readonly Notification[] => {
  if (event.type === 'session/update') return [{ update: event.update }]
  if (event.type === 'session/late_update')
    return [{ update: event.update, _meta: { subgate: { late: true } } }]
  return event.type === 'notice' && takesNotices ? [{ update: notice(event) }] : []
}
