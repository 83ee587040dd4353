/** What a provider itself refuses, by `check`: before anything is opened, and by a dry run in the same way (B1.3). */
import { SubagentError } from '../../contract/errors.ts'
import { hold, shown } from '../failure.ts'
import type { ProviderFixture } from '../fixture.ts'
import type { CueName } from '../manifest.ts'
import { cueOf, Stage, withPreset } from '../stage.ts'
import type { Start } from '../stage.ts'

export const refusesBeforeOpen = async (fixture: ProviderFixture): Promise<void> => {
  const checks = await onStage(fixture, 'answer', async (stage, start) => {
    await stage.check(start)
    return stage.observed.provider.check !== undefined
  })
  if (!checks) return
  await onStage(fixture, 'unfit', async (stage, start) => {
    await refused(stage.check(start), 'a dry run')
    await refused(
      stage.start(start).then((run) => run.result),
      'a start',
    )
  })
}

/** Plays on a stage of its own, on which nothing may have happened then. */
const onStage = async <T>(
  fixture: ProviderFixture,
  name: CueName,
  play: (stage: Stage, start: Start) => Promise<T>,
): Promise<T> => {
  const cue = cueOf(fixture, name)
  await using stage = await Stage.open(fixture, name, cue.preset)
  const played = await play(stage, withPreset(cue.request(stage.place), cue.preset))
  hold(stage.observed.opens === 0, 'nothing to be opened', `${stage.observed.opens} calls of open`)
  hold(stage.published.length === 0, 'nothing to be published', 'a session in the store')
  const left = await stage.leftovers()
  hold(left.length === 0, 'nothing to be left', left.join(', '))
  return played
}

const refused = async (asked: Promise<unknown>, what: string): Promise<void> => {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  hold(
    SubagentError.is(error) && error.phase === 'resolve' && error.code !== 'PROVIDER_FAULT',
    `${what} of "unfit" to be refused in phase resolve`,
    SubagentError.is(error) ? `${error.code} in phase ${error.phase}` : shown(error ?? 'no refusal'),
  )
}
