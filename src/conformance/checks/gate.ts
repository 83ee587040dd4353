/** Refusals of requests as such: all that is missing at once, and fields that no request has. */
import { CAPABILITY_IDS } from '../../capabilities/catalog.ts'
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import { ASKING } from '../asking.ts'
import type { Check } from '../check.ts'
import { hold, shown } from '../failure.ts'
import type { ProviderFixture } from '../fixture.ts'
import { refusal } from './refused.ts'

/** Rows that were never declared are named at once; those that a handshake denies are named after it. */
export const namesAllMissing = async (
  fixture: ProviderFixture,
  claimed: SubagentCapabilities,
): Promise<void> => {
  let rest = CAPABILITY_IDS.filter((id) => ASKING[id] !== undefined && claimed[id] === 'none')
  while (rest.length > 0) {
    const named = await refusal(fixture, rest)
    rest = rest.filter((id) => !named.includes(id))
  }
}

const COMPOSITION = { persona: 'You are brief.', toolFilter: { allow: [] }, allowedTools: ['Read'] }

export const refusesUnknown: Check = async ({ stage, start }) => {
  for (const [field, value] of Object.entries(COMPOSITION)) {
    const error = await stage.start({ ...start, [field]: value }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    hold(
      SubagentError.is(error) && error.code === 'INVALID_REQUEST',
      `INVALID_REQUEST for "${field}"`,
      SubagentError.is(error) ? error.code : shown(error ?? 'a run'),
    )
  }
  hold(stage.observed.opens === 0, 'nothing to be opened', `${stage.observed.opens} calls of open`)
}
