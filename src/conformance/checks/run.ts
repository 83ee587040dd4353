/** A run's events: two edges, order, replay, silence afterwards (laws 4, 7, 8). */
import { isUpdate } from '../../contract/content.ts'
import type { LogEntry } from '../../contract/events.ts'
import { hold, shown } from '../failure.ts'
import type { Check } from '../check.ts'
import { eventsOf } from '../stage.ts'

/** How long late events of an agent are waited for. */
const LATE_MS = 50

export const typesOf = (events: readonly LogEntry[]): readonly string[] =>
  events.map(({ event }) => event.type)

export const textOf = (events: readonly LogEntry[]): string =>
  events
    .map(({ event }) => {
      if (event.type !== 'session/update' || !isUpdate(event.update, 'agent_message_chunk')) return ''
      const { content } = event.update
      return content.type === 'text' ? content.text : ''
    })
    .join('')

export const hasTwoEdges: Check = async ({ stage, start }) => {
  const { events } = await stage.play(start)
  const types = typesOf(events)
  hold(types[0] === 'run/started', 'run/started first', String(types[0]))
  hold(types.at(-1) === 'run/settled', 'run/settled last', String(types.at(-1)))
  const edges = types.filter((type) => type.startsWith('run/'))
  hold(edges.length === 2, 'one start and one settlement', shown(edges))
}

export const keepsOrder: Check = async ({ stage, start, cue }) => {
  const run = await stage.start(start)
  const live: LogEntry[] = []
  const following = (async () => {
    for await (const entry of run.events()) live.push(entry)
  })()
  await run.result
  await following
  const says = cue.says ?? []
  hold(says.length > 1, 'the cue to say at least two things', shown(says))
  hold(textOf(live) === says.join(''), shown(says.join('')), shown(textOf(live)))
  const numbers = live.map(({ seq }) => seq)
  hold(
    numbers.every((seq, index) => seq === (numbers[0] ?? 0) + index),
    'numbers without gaps',
    shown(numbers),
  )
}

export const replays: Check = async ({ stage, start }) => {
  const run = await stage.start(start)
  const live = await eventsOf(run)
  await run.result
  const whole = await eventsOf(run)
  hold(
    shown(whole) === shown(live) && whole.length === live.length,
    shown(typesOf(live)),
    shown(typesOf(whole)),
  )
  for (const [index, { seq }] of live.entries()) {
    const rest = await eventsOf(run, seq)
    hold(rest.length === live.length - index - 1, `the events after ${seq}`, shown(typesOf(rest)))
  }
}

export const fallsSilent: Check = async ({ stage, start }) => {
  const { result, events } = await stage.play(start)
  const last = events.at(-1)?.seq ?? 0
  await new Promise((resolve) => {
    setTimeout(resolve, LATE_MS)
  })
  const later = stage.store.read(result.sessionId, last, 100)
  hold(later.length === 0, 'nothing after the settlement', shown(typesOf(later)))
}
