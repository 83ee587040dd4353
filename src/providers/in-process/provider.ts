/** The built-in agent as a provider: `spawn` starts afresh, `fork` with the completed turns of its parent. */
import {
  CONTROL_TOOL_NAMES,
  FILE_TOOL_NAMES,
  QUESTION_TOOL_NAMES,
  REPORT_TOOL_NAME,
} from '../../agent/tools/tool-names.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import type { ProviderSession, SubagentProvider } from '../../contract/provider.ts'
import { BY_MODEL, DECLARED } from './capabilities.ts'
import type { Deployment } from './deployment.ts'
import { checkStart } from './start-check.ts'

export type InProcessName = 'spawn' | 'fork'

/** What people call both. */
export const BUILT_IN_TITLE = 'Built-in agent'

const namesOf = ({ delegationTools }: Deployment): readonly string[] => [
  ...delegationTools.map(({ name }) => name),
  ...(delegationTools.length > 0 ? CONTROL_TOOL_NAMES : []),
  REPORT_TOOL_NAME,
]

/** A service's list of models isn't asked for: what is configured is known to be wanted. */
const offerOf = ({ model }: Deployment): AgentOffer => {
  if (model === undefined) return {}
  const [service = model, id] = model.split(/\/(.*)/su)
  return { models: [{ value: model, name: id ?? model, ...(id !== undefined && { group: service }) }] }
}

/** The agent's own code is loaded with the first session. */
export const inProcessProvider = (name: InProcessName, deployment: Deployment): SubagentProvider => {
  let opener: Promise<ProviderSessionOpener> | undefined
  const load = async (): Promise<ProviderSessionOpener> => {
    const { sessionOpener } = await import('./open.ts')
    return sessionOpener(name, deployment)
  }
  return {
    name,
    title: BUILT_IN_TITLE,
    capabilities: DECLARED,
    negotiated: BY_MODEL,
    inheritsParentContext: name === 'fork',
    toolNames: {
      ...FILE_TOOL_NAMES,
      ...QUESTION_TOOL_NAMES,
      ...Object.fromEntries(namesOf(deployment).map((own) => [own, own])),
    },
    offer: () => offerOf(deployment),
    check: (request) => checkStart(name, request, deployment),
    open: async (request, setup): Promise<ProviderSession> => {
      opener ??= load()
      return (await opener)(request, setup)
    },
  }
}

export type ProviderSessionOpener = SubagentProvider['open']
