/** Verifies one requirement on one provider: `passed`, `refused`, or a failure that says what was seen. */
import { BEHAVIOUR_CHECKS } from './behaviour-checks.ts'
import { namesAllMissing } from './checks/gate.ts'
import { isHonoured } from './checks/honoured.ts'
import { refusesBeforeOpen } from './checks/own-refusal.ts'
import { isRefused } from './checks/refused.ts'
import { claimedBy } from './claimed.ts'
import { ConformanceFailure, Unmet } from './failure.ts'
import type { ProviderFixture } from './fixture.ts'
import { requirement as byId } from './manifest.ts'
import type { Requirement } from './manifest.ts'
import { cueOf, Stage, withPreset } from './stage.ts'

/** `passed`: shown to hold. `refused`: the provider doesn't claim the capability, and asking for it is refused. */
export type Verdict = 'passed' | 'refused'

/** Throws a `ConformanceFailure`. Nothing is ever skipped. */
export const verify = async (asked: Requirement | string, fixture: ProviderFixture): Promise<Verdict> => {
  const requirement = typeof asked === 'string' ? byId(asked) : asked
  try {
    return await judge(requirement, fixture)
  } catch (error) {
    if (error instanceof Unmet) throw new ConformanceFailure(requirement, error.expected, error.seen)
    const seen = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    throw new ConformanceFailure(requirement, 'the check to come to its end', seen, { cause: error })
  }
}

const judge = async (requirement: Requirement, fixture: ProviderFixture): Promise<Verdict> => {
  const { id, capability, cue = 'answer' } = requirement
  const claimed = await claimedBy(fixture)
  if (capability !== undefined && (claimed[capability] === 'none' || id.endsWith('/refused'))) {
    await isRefused(capability, fixture, claimed)
    return 'refused'
  }
  if (id === 'gate/names-all-that-is-missing') {
    await namesAllMissing(fixture, claimed)
    return 'passed'
  }
  if (id === 'gate/own-refusal-comes-first') {
    await refusesBeforeOpen(fixture)
    return 'passed'
  }
  const check = BEHAVIOUR_CHECKS[id]
  if (check === undefined && capability !== undefined) {
    await isHonoured(capability, fixture, cue)
    return 'passed'
  }
  if (check === undefined) throw new Unmet('a check to belong to it', 'none')
  const scene = cueOf(fixture, cue)
  await using stage = await Stage.open(fixture, cue, scene.preset)
  await check({ stage, cue: scene, start: withPreset(scene.request(stage.place), scene.preset) })
  return 'passed'
}
