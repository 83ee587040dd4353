/** The agent of a start: the one that still stands on a kept session, or one that is set up now. */
import type { ProviderSession } from '../contract/provider.ts'
import type { Admitted } from './admit.ts'
import type { Surroundings } from './options.ts'
import { openAgent, sessionEnvironment, Setup } from './setup.ts'
import type { Lent } from './setup.ts'

export const agentFor = async (
  { registered, request, resolved, standing }: Admitted,
  { signal, ...lent }: Omit<Lent, 'env'> & { readonly signal: AbortSignal },
  { lineage, log, settings }: Surroundings,
): Promise<{ readonly agent: ProviderSession; readonly setup: Setup }> => {
  const env = sessionEnvironment(request, lineage)
  const setup = (scope: AbortSignal): Setup => new Setup(scope, { ...lent, env }, log)
  if (standing?.usable === true) return { agent: standing, setup: setup(signal) }
  // What has died is cleaned up before anything takes its place.
  await resolved.live?.dismissAgent()
  return openAgent(registered.provider, request, settings().limits.startupMs, signal, setup)
}
