/** What every provider owes, as data: the manifest that conformance checks, documents and reports read. */
import type { CapabilityId } from '../contract/capabilities.ts'
import { SubagentError } from '../contract/errors.ts'
import { closest } from '../contract/parse.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { PROOFS } from './proofs.ts'

/**
 * The situations that a fixture brings about: each capability, the ways a turn can go, and for a provider with a
 * `check` a request that it refuses.
 */
export type CueName = CapabilityId | BehaviourCue | ToolFilterCue | 'unfit'

export type BehaviourCue =
  | 'answer'
  | 'sequence'
  | 'hang'
  | 'silent'
  | 'blank'
  | 'toolsOnly'
  | 'refusal'
  | 'truncation'
  | 'fault'
  | 'question'

export type ToolFilterCue = 'toolFilterQualified' | 'toolFilterLate' | 'toolFilterNone' | 'toolFilterBoth'

export interface Requirement {
  /** `area/behaviour`; never renamed or reused. */
  readonly id: string
  readonly title: string
  /** A fixture may declare a deviation from a `should`, never from a `must`. */
  readonly level: 'must' | 'should'
  /** The behaviour is owed with this capability; without it the control must be refused. */
  readonly capability?: CapabilityId
  /** The situation in which it shows. */
  readonly cue?: CueName
  /** Where it is laid down. */
  readonly source: string
}

const IDS = Object.keys(PROOFS) as CapabilityId[]

const rows: readonly Requirement[] = IDS.flatMap((id) => [
  {
    id: `capability/${id}/honoured`,
    title: `${PROOFS[id].title}: ${PROOFS[id].shows}`,
    level: 'must',
    capability: id,
    cue: id,
    source: 'law 9',
  } as const,
  {
    id: `capability/${id}/refused`,
    title: `${PROOFS[id].title}: without it, asking is refused by name and leaves nothing`,
    level: 'must',
    capability: id,
    source: 'law 1',
  } as const,
])

export const MANIFEST: readonly Requirement[] = [...BEHAVIOURS, ...rows]

export const requirement = (id: string): Requirement => {
  const found = MANIFEST.find((entry) => entry.id === id)
  if (found !== undefined) return found
  const suggestion = closest(
    id,
    MANIFEST.map((entry) => entry.id),
  )
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `No requirement has the id "${id}".${suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`} docs/conformance.md lists them.`,
    { field: 'requirement', ...(suggestion !== undefined && { suggestion }) },
  )
}
