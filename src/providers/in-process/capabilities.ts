/** What the built-in agent honours: everything it does itself; content kinds and effort as its model has them. */
import { CAPABILITY_IDS } from '../../capabilities/catalog.ts'
import { claims } from '../../capabilities/rows.ts'
import type { CapabilityId, SubagentCapabilities, Support } from '../../contract/capabilities.ts'
import type { AgentModel } from '../../agent/models/model.ts'

const NONE: ReadonlySet<CapabilityId> = new Set<CapabilityId>(['mcpServers', 'maxCostUsd'])

/** Upper bounds until the model is known. */
export const BY_MODEL: readonly CapabilityId[] = ['images', 'audio', 'resources', 'effort']

export const DECLARED: SubagentCapabilities = claims(
  Object.fromEntries(CAPABILITY_IDS.map((id) => [id, NONE.has(id) ? 'none' : 'native'])),
)

const native = (has: boolean): Support => (has ? 'native' : 'none')

export const rowsOf = ({
  content,
  effort,
}: Pick<AgentModel, 'content' | 'effort'>): SubagentCapabilities => ({
  ...DECLARED,
  images: native(content.images),
  audio: native(content.audio),
  resources: native(content.resources),
  effort: native(effort),
})
