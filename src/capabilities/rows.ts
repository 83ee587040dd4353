/** Whole rows of capabilities: built from a claim, and bounded by another. */
import type { CapabilityId, SubagentCapabilities, Support } from '../contract/capabilities.ts'
import { CAPABILITY_IDS, lesser } from './catalog.ts'

/** Everything `none` but what is claimed. */
export const claims = (claimed: Partial<SubagentCapabilities> = {}): SubagentCapabilities =>
  Object.fromEntries(CAPABILITY_IDS.map((id) => [id, claimed[id] ?? 'none'])) as {
    [Id in CapabilityId]: Support
  }

/** Never more than declared: the lesser of both on each row that was answered. */
export const bounded = (
  declared: SubagentCapabilities,
  answered: Partial<SubagentCapabilities>,
): SubagentCapabilities =>
  Object.fromEntries(
    CAPABILITY_IDS.map((id) => [id, lesser(declared[id], answered[id] ?? declared[id])]),
  ) as {
    [Id in CapabilityId]: Support
  }
