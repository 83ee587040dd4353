/** What a session's agent does now, folded from the events of its open run. Pure. */
import { isUpdate } from '../../contract/content.ts'
import type { LogEntry } from '../../contract/events.ts'
import { nextDoing, STARTING } from '../terminal/doing.ts'

export interface Activity {
  /** A running tool's title, `writing`, `thinking`, or what it waits for. */
  readonly doing: string
  /** A permission or a form waits for a person. */
  readonly needsYou: boolean
  /** Tokens that the conversation takes by now, where the agent says so. */
  readonly tokens?: number
  readonly costUsd?: number
}

/** An agent that has said something, and runs no tool while children of it run, waits for them. */
export const activityOf = (entries: readonly LogEntry[], openChildren = 0): Activity => {
  const now = entries.reduce((doing, entry) => nextDoing(doing, entry), STARTING)
  const waits = openChildren > 0 && !now.needsYou && now.tools.length === 0 && now.otherwise === 'writing'
  const children = openChildren === 1 ? 'child' : 'children'
  return {
    doing: waits ? `waiting for ${openChildren} ${children}` : now.doing,
    needsYou: now.needsYou,
    ...spentOf(entries),
  }
}

const spentOf = (entries: readonly LogEntry[]): Pick<Activity, 'tokens' | 'costUsd'> => {
  const last = entries.findLast(
    ({ event }) => event.type === 'session/update' && isUpdate(event.update, 'usage_update'),
  )
  if (last?.event.type !== 'session/update' || !isUpdate(last.event.update, 'usage_update')) return {}
  const { used, cost } = last.event.update
  return {
    ...(typeof used === 'number' && { tokens: used }),
    ...(cost?.currency === 'USD' && typeof cost.amount === 'number' && { costUsd: cost.amount }),
  }
}
