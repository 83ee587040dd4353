/** Registers tests of which ACP requirements real agents meet, and our own face before them. */
import { expect, test } from 'vitest'
import { checkReal } from './acp-check.ts'
import { ACP_FINDINGS } from './acp-findings.ts'
import type { Finding } from './acp-findings.ts'
import type { RealAgent } from './agents.ts'

/** Against a hang alone: each answer has a limit of its own. */
const LIMIT_MS = 600_000

const isFound = (one: Finding, agent: RealAgent, face: boolean): boolean =>
  one.agent === agent.name && one.face === face

/** Registers the test of what acp-findings.ts says. */
export const describeAcpCheck = (agent: RealAgent, face: boolean): void => {
  const title = `${face ? 'subgate acp before' : 'the checker on'} ${agent.name === 'acp' ? "the SDK's example agent" : agent.name}`
  test(
    `${title}: which requirements are met is what docs/conformance.md says`,
    async () => {
      const found = ACP_FINDINGS.find((one) => isFound(one, agent, face))
      const { report, refused, left } = await checkReal(agent, face)
      const varies = found?.varies ?? []
      const of = (...statuses: readonly string[]): readonly string[] =>
        report.requirements.flatMap(({ id, status }) =>
          statuses.includes(status) && !varies.includes(id) ? [id] : [],
        )
      const wrong = of('failed', 'not_tested')
      const details = report.requirements.filter(({ id }) => wrong.includes(id))
      expect(wrong, JSON.stringify(details, undefined, 1)).toEqual(found?.wrong)
      expect(of('passed')).toHaveLength(found?.passed ?? 0)
      if (!face) expect(report.agent.version).toBe(found?.version)
      expect(refused).toEqual([])
      expect(left).toEqual([])
    },
    LIMIT_MS,
  )
}
