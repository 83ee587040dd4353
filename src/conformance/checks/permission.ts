/** Questions and answers stand in the log, in order (law 8). */
import { isUpdate } from '../../contract/content.ts'
import type { LogEntry, PermissionRequested } from '../../contract/events.ts'
import type { Check } from '../check.ts'
import { hold, shown } from '../failure.ts'
import { typesOf } from './run.ts'
import { eventsOf } from '../stage.ts'

const isRequest = (entry: LogEntry): entry is LogEntry & { readonly event: PermissionRequested } =>
  entry.event.type === 'permission/requested'

export const answersInOrder: Check = async ({ stage, start }) => {
  const run = await stage.start({ ...start, permission: 'ask' }, { answers: true })
  for await (const { event } of run.events()) {
    if (event.type !== 'permission/requested') continue
    const { optionId = '' } = event.options.find(({ kind }) => kind === 'allow_once') ?? {}
    run.respond(event.id, { outcome: 'selected', optionId })
  }
  const events = await eventsOf(run)
  const asked = events.find(isRequest)
  if (asked === undefined) return hold(false, 'a question', shown(typesOf(events)))
  const { id, toolCall } = asked.event
  const answered = events.find(({ event }) => event.type === 'permission/resolved' && event.id === id)
  hold(
    answered !== undefined && answered.seq > asked.seq && answered.seq < (events.at(-1)?.seq ?? 0),
    'the answer between the question and the settlement',
    shown(typesOf(events)),
  )
  const announced = events.find(
    ({ event }) =>
      event.type === 'session/update' &&
      isUpdate(event.update, 'tool_call') &&
      event.update.toolCallId === toolCall.toolCallId,
  )
  hold(
    announced === undefined || announced.seq < asked.seq,
    'the question after its tool call',
    shown(typesOf(events)),
  )
}

export const cancelAnswers: Check = async ({ stage, start }) => {
  const run = await stage.start({ ...start, permission: 'ask' }, { answers: true })
  for await (const { event } of run.events()) if (event.type === 'permission/requested') run.cancel()
  const { status } = await run.result
  const events = await eventsOf(run)
  const answers = events.flatMap(({ event }) => (event.type === 'permission/resolved' ? [event.by] : []))
  hold(shown(answers) === '["cancel"]', 'one answer, by the cancel', shown(answers))
  hold(status === 'cancelled', 'cancelled', status)
}
