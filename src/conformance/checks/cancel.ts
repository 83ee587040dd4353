/** Cancel and dispose: cancelled whoever asked, with the text so far, and idempotent (B10). */
import { isUpdate } from '../../contract/content.ts'
import type { SubagentRun } from '../../contract/run.ts'
import type { Check } from '../check.ts'
import { hold, shown } from '../failure.ts'
import type { Scene } from '../check.ts'
import { eventsOf } from '../stage.ts'

/** A run whose agent has said something and now waits. */
export const hanging = async ({ stage, start }: Pick<Scene, 'stage' | 'start'>): Promise<SubagentRun> => {
  const run = await stage.start(start)
  for await (const { event } of run.events()) {
    // The words of the prompt may come first.
    if (event.type === 'session/update' && isUpdate(event.update, 'agent_message_chunk')) return run
    if (event.type === 'run/settled')
      hold(false, 'a turn that says something and then waits', `the end ${event.status}`)
  }
  return run
}

export const settlesCancelled: Check = async ({ stage, start }) => {
  for (const reason of ['request', 'signal'] as const) {
    const run = await hanging({ stage, start })
    run.cancel(reason)
    run.cancel(reason)
    const { status, category } = await run.result
    hold(status === 'cancelled' && category === reason, `cancelled/${reason}`, `${status}/${category}`)
  }
}

export const keepsPartialText: Check = async (scene) => {
  const run = await hanging(scene)
  run.cancel()
  const { text } = await run.result
  hold(text.trim() !== '', 'the text so far', shown(text))
}

export const hears: Check = async (scene) => {
  const run = await hanging(scene)
  hold(scene.stage.observed.turns === 1, 'one turn', String(scene.stage.observed.turns))
  run.cancel()
  await run.result
  hold(!scene.stage.observed.forced, 'the turn to end by itself', 'that it had to be ended')
}

export const disposesTwice: Check = async ({ stage, start }) => {
  const run = await stage.start(start)
  await run.result
  await run[Symbol.asyncDispose]()
  await run[Symbol.asyncDispose]()
  await stage.observed.last?.[Symbol.asyncDispose]()
  const types = (await eventsOf(run)).map(({ event }) => event.type)
  hold(types.filter((type) => type === 'run/settled').length === 1, 'one settlement', shown(types))
}

export const disposeCancels: Check = async (scene) => {
  const run = await hanging(scene)
  await run[Symbol.asyncDispose]()
  const settled = await Promise.race([run.result, Promise.resolve(undefined)])
  hold(settled?.status === 'cancelled', 'a cancelled run when dispose has ended', shown(settled?.status))
}
