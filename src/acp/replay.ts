/** The history of a chat as the updates that an editor is shown when it opens the chat again. Pure. */
import type { ContentBlock, SessionUpdate } from '../contract/content.ts'
import type { Told } from './history.ts'
import type { Takes } from './params.ts'
import { promptOf } from './said.ts'
import { notificationsOf } from './updates.ts'

/** What stands in the answer to the load, as it is now. */
const STATES: ReadonlySet<string> = new Set([
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
])

const asked = (block: ContentBlock): SessionUpdate => ({
  sessionUpdate: 'user_message_chunk',
  content: block,
})

const named = ({ delegated, provider }: Told['stretch'], [first, ...rest]: readonly ContentBlock[]) => {
  if (!delegated || first === undefined) return first === undefined ? [] : [first, ...rest]
  const command = `/delegate ${provider} `
  return first.type === 'text'
    ? [{ ...first, text: command + first.text }, ...rest]
    : [{ type: 'text' as const, text: command }, first, ...rest]
}

/** Of a task that a person delegated its words alone: what was done of it is a child's, as all that lies below. */
export const replayOf = ({ stretch, entry: { event } }: Told, takes: Takes): readonly SessionUpdate[] => {
  if (stretch.below !== undefined && !stretch.delegated) return []
  if (event.type === 'run/started') return named(stretch, promptOf(event)).map(asked)
  if (stretch.below !== undefined) return []
  return notificationsOf(event, { ...takes, echoes: false })
    .map(({ update }) => update)
    .filter(({ sessionUpdate }) =>
      stretch.delegated ? sessionUpdate === 'agent_message_chunk' : !STATES.has(sessionUpdate),
    )
}
