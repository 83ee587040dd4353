/** Setting an agent up: unpublished until it stands, and all or nothing (laws 1, 3, 4). */
import { atLeast, CAPABILITY_IDS } from '../../capabilities/catalog.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { Check } from '../check.ts'
import { hold, shown } from '../failure.ts'

export const abortLeavesNothing: Check = async ({ stage, start }) => {
  const abort = new AbortController()
  stage.observed.onOpen = () => abort.abort()
  const error = await stage.start(start, { signal: abort.signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  hold(
    SubagentError.is(error) && error.code === 'CANCELLED',
    'a start that rejects with CANCELLED',
    SubagentError.is(error) ? error.code : shown(error ?? 'a run'),
  )
  hold(stage.published.length === 0, 'nothing to be published', 'a session in the store')
  const left = await stage.leftovers()
  hold(left.length === 0, 'nothing to be left', left.join(', '))
}

export const isUnpublished: Check = async ({ stage, start }) => {
  let during: number | undefined
  stage.observed.onOpened = () => {
    during = stage.published.length
  }
  await stage.play(start)
  hold(during === 0, 'nothing to be published while the agent is set up', `${during} sessions`)
  hold(stage.published.length === 1, 'one session', String(stage.published.length))
}

export const claimsNoMore: Check = async ({ stage, start }) => {
  const { provider } = stage.observed
  const declared = provider.capabilities
  await stage.play(start)
  const shownRows = stage.observed.last?.capabilities ?? declared
  for (const id of CAPABILITY_IDS) {
    hold(atLeast(declared[id], shownRows[id]), `at most ${declared[id]} for ${id}`, shownRows[id])
    if (provider.negotiated.includes(id)) continue
    hold(shownRows[id] === declared[id], `${declared[id]} for ${id}, as it is not negotiated`, shownRows[id])
  }
}
