/** The agent of a start: the one that still stands on a kept session, or one that is set up now. */
import type { Delegation, ProviderSession } from '../contract/provider.ts'
import type { StartOptions } from '../contract/run.ts'
import type { Admitted } from './admit.ts'
import type { Surroundings } from './options.ts'
import { openAgent, sessionEnvironment, Setup } from './setup.ts'

interface Lent {
  readonly delegation: Delegation
  readonly signal: AbortSignal
  readonly choices: StartOptions['choices']
}

export const agentFor = async (
  { registered, request, resolved, standing }: Admitted,
  { delegation, signal, choices }: Lent,
  { lineage, log, settings }: Surroundings,
): Promise<{ readonly agent: ProviderSession; readonly setup: Setup }> => {
  const env = sessionEnvironment(request, lineage)
  const setup = (scope: AbortSignal): Setup => new Setup(scope, env, delegation, log, choices)
  if (standing?.usable === true) return { agent: standing, setup: setup(signal) }
  // What has died is cleaned up before anything takes its place.
  await resolved.live?.dismissAgent()
  return openAgent(registered.provider, request, settings().limits.startupMs, signal, setup)
}
