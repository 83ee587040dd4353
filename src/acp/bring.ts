/** Brings events to the editor in their order; text that comes in one go is brought in one go. */
import type { WatchedEvent } from '../contract/run.ts'
import type { Notification } from './updates.ts'

export interface Bearer {
  /** What of an event can be brought together with its like. */
  textOf(watched: WatchedEvent): Notification | undefined
  pass(said: readonly Notification[]): Promise<void>
  deliver(watched: WatchedEvent): Promise<void>
  /** The editor has taken all up to this one. */
  reached(watched: WatchedEvent): void
}

/** So many updates go to the editor in one go. */
const AT_ONCE = 256

export const bring = async (stretch: Iterable<WatchedEvent>, to: Bearer): Promise<void> => {
  let said: Notification[] = []
  let last: WatchedEvent | undefined
  const pass = async (): Promise<void> => {
    if (last === undefined) return
    const [passed, upTo] = [said, last]
    said = []
    last = undefined
    await to.pass(passed)
    to.reached(upTo)
  }
  for (const watched of stretch) {
    const text = to.textOf(watched)
    if (text !== undefined) {
      said.push(text)
      last = watched
      if (said.length === AT_ONCE) await pass()
      continue
    }
    await pass()
    await to.deliver(watched)
    to.reached(watched)
  }
  await pass()
}
