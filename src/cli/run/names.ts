/** The names by which a person can mean a provider. */
import { SubagentError } from '../../contract/errors.ts'
import type { Gateway } from '../../gateway.ts'
import type { Installable } from './choice.ts'
import { foundNames as foundIn, KNOWN_PROVIDER_NAMES } from '../../gateway.ts'

/** Installed or not, aliases too: a known name is never taken for a word of the prompt. */
export const providerNames = (gateway: Gateway): readonly string[] => [
  ...new Set([
    ...KNOWN_PROVIDER_NAMES,
    ...Object.keys(gateway.loaded.config.providers),
    'spawn',
    'builtin',
    'fork',
  ]),
]

/** What is usable here without further words: configured and installed agents, one a program. */
export const foundNames = (gateway: Pick<Gateway, 'agents' | 'loaded'>): readonly string[] =>
  foundIn(gateway.loaded.config, gateway.agents())

/** The best known agents that npm can install. */
export const installableAgents = (gateway: Gateway): readonly Installable[] =>
  gateway
    .agents()
    .flatMap(({ agent, program }) =>
      program === undefined && agent.npm !== undefined ? [{ name: agent.name, npm: agent.npm }] : [],
    )
    .slice(0, 2)

/** A known agent that isn't installed is told apart from a name that means nothing here. */
export const requireInstalled = (name: string, gateway: Gateway): void => {
  const { providers } = gateway.runtime
  if (providers.find(name) !== undefined || providers.fault(name) !== undefined) return
  const known = gateway.agents().find(({ agent }) => agent.name === name || agent.aliases?.includes(name))
  if (known === undefined) return
  const { title, program, npm } = known.agent
  const way = npm === undefined ? `Install it so that ${program} is there` : `Type: npm install -g ${npm}`
  throw new SubagentError(
    'PROVIDER_NOT_FOUND',
    'resolve',
    `${title} (${name}) is not installed here: there is no program ${program} on PATH. ${way}`,
    { provider: name, known: providers.names() },
  )
}
