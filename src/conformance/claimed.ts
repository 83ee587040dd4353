/** What a fixture's provider turns out to claim, once for all checks: declared, or shown by a handshake. */
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { ProviderFixture } from './fixture.ts'
import { cueOf, Stage } from './stage.ts'

const known = new WeakMap<ProviderFixture, Promise<SubagentCapabilities>>()

export const claimedBy = (fixture: ProviderFixture): Promise<SubagentCapabilities> => {
  const before = known.get(fixture)
  if (before !== undefined) return before
  const asked = ask(fixture)
  known.set(fixture, asked)
  asked.catch(() => known.delete(fixture))
  return asked
}

/** A plain run of it is enough. */
const ask = async (fixture: ProviderFixture): Promise<SubagentCapabilities> => {
  await using stage = await Stage.open(fixture, 'answer')
  const { provider } = stage.observed
  if (provider.negotiated.length === 0) return provider.capabilities
  const run = await stage.start(cueOf(fixture, 'answer').request(stage.place))
  const rows = stage.observed.last?.capabilities ?? provider.capabilities
  await run.result
  return rows
}
