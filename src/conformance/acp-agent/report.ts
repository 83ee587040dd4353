/** What the checks come to: the verdict, and a line for each requirement. Pure. */
import type { AgentFacts } from './facts.ts'
import type { Outcome, Status } from './outcome.ts'
import { ACP_REQUIREMENTS } from './requirements.ts'
import type { AcpRequirement, Level } from './requirements.ts'
import { GATES } from './gates.ts'

export type Verdict =
  | 'conformant'
  | 'not_conformant'
  /** All that was chosen passed, but not everything was chosen. */
  | 'partial'
  /** It lets nobody in without a sign-in. */
  | 'auth_blocked'
  /** It speaks another version of the protocol. */
  | 'version_blocked'

export interface ReportedRequirement extends Outcome {
  readonly level: Level
  readonly title: string
  readonly gate?: string
}

export interface AcpReport {
  readonly verdict: Verdict
  readonly agent: { readonly name?: string; readonly version?: string }
  readonly protocolVersion?: unknown
  /** How many of each level came to what. */
  readonly summary: { readonly [L in Level]: { readonly [S in Status]?: number } }
  readonly requirements: readonly ReportedRequirement[]
}

export interface Judged {
  readonly facts: AgentFacts
  readonly outcomes: readonly Outcome[]
  /** Every requirement was chosen. */
  readonly whole: boolean
}

export const reportOf = ({ facts, outcomes, whole }: Judged): AcpReport => {
  const requirements = outcomes.flatMap((outcome) => {
    const row = ACP_REQUIREMENTS.find(({ id }) => id === outcome.id)
    return row === undefined ? [] : [reported(row, outcome)]
  })
  const { name, version, protocolVersion } = facts
  return {
    verdict: verdictOf(facts, requirements, whole),
    agent: { ...(name !== undefined && { name }), ...(version !== undefined && { version }) },
    ...(protocolVersion !== undefined && { protocolVersion }),
    summary: summaryOf(requirements),
    requirements,
  }
}

const reported = ({ level, title, gate }: AcpRequirement, outcome: Outcome): ReportedRequirement => ({
  ...outcome,
  level,
  title,
  ...(gate !== undefined && { gate: GATES[gate].words }),
})

/** What makes an agent not conformant. */
export const counts = ({ level, status }: Pick<ReportedRequirement, 'level' | 'status'>): boolean =>
  (level === 'MANDATORY' && (status === 'failed' || status === 'not_tested')) ||
  (level === 'CAPABILITY' && status === 'failed')

const verdictOf = (
  { authRequired, created, protocolVersion }: AgentFacts,
  requirements: readonly ReportedRequirement[],
  whole: boolean,
): Verdict => {
  if (Number.isInteger(protocolVersion) && protocolVersion !== 1) return 'version_blocked'
  if (authRequired && created['sessionId'] === undefined) return 'auth_blocked'
  if (requirements.some(counts)) return 'not_conformant'
  return whole ? 'conformant' : 'partial'
}

const LEVELS = ['MANDATORY', 'CAPABILITY', 'ADVISORY', 'INFORMATIONAL'] as const

const summaryOf = (requirements: readonly ReportedRequirement[]): AcpReport['summary'] => {
  const [mandatory, capability, advisory, informational] = LEVELS.map((level) => {
    const found: { [S in Status]?: number } = {}
    for (const { status } of requirements.filter((row) => row.level === level))
      found[status] = (found[status] ?? 0) + 1
    return found
  })
  return {
    MANDATORY: mandatory ?? {},
    CAPABILITY: capability ?? {},
    ADVISORY: advisory ?? {},
    INFORMATIONAL: informational ?? {},
  }
}
