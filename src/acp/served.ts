/** Which agents a face serves: one that was named when it was started, or all that can start here. */
import { SubagentError } from '../contract/errors.ts'
import type { Gateway, UsableAgent } from '../gateway.ts'

export interface Served {
  /** The only one. */
  readonly pinned?: string
  agents(): Promise<readonly UsableAgent[]>
  /** The one to begin with: what is wished for, where it is served, else the one that was chosen last, else the first. */
  choose(wished?: string): Promise<string>
  /** It was spoken with. */
  spoke(agent: string): void
}

type House = Pick<Gateway, 'usable' | 'lastAgent'>

export const servedOne = (name: string, agents: () => Promise<readonly UsableAgent[]>): Served => ({
  pinned: name,
  agents,
  choose: () => Promise.resolve(name),
  spoke: () => {},
})

/** `preferred` goes before the first, and behind the one that was chosen last. */
export const servedAll = (house: House, preferred: string | undefined): Served => {
  let listed: Promise<readonly UsableAgent[]> | undefined
  const agents = (): Promise<readonly UsableAgent[]> => (listed ??= house.usable())
  return {
    agents,
    choose: async (wished) => {
      const names = (await agents()).map(({ name }) => name)
      const found = [wished, house.lastAgent.name, preferred].find(
        (name) => name !== undefined && names.includes(name),
      )
      return found ?? names[0] ?? nobody()
    },
    spoke: (agent) => house.lastAgent.remember(agent),
  }
}

const nobody = (): never => {
  throw new SubagentError(
    'PROVIDER_NOT_FOUND',
    'resolve',
    'No agent can start here. Install one, or configure one, and see: subgate providers',
    { provider: '', known: [] },
  )
}
