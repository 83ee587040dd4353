/** Entry `subgate/conformance/vitest`: a test for each requirement of the manifest. */
import { describe, expect, test } from 'vitest'
import type { ProviderFixture } from './fixture.ts'
import { ConformanceFailure } from './failure.ts'
import { MANIFEST } from './manifest.ts'
import type { Requirement } from './manifest.ts'
import { verify } from './verify.ts'
import type { Verdict } from './verify.ts'

export interface DescribeOptions {
  /** For each requirement; 60 s when absent. */
  readonly timeoutMs?: number
  /** Told each verdict, as for a page that says what a provider can. */
  readonly found?: (requirement: Requirement, verdict: Verdict) => void
}

export const describeProvider = (
  name: string,
  fixture: ProviderFixture,
  { timeoutMs = 60_000, found }: DescribeOptions = {},
): void => {
  const deviations = fixture.deviations ?? {}
  describe(`conformance of ${name}`, { timeout: timeoutMs }, () => {
    for (const requirement of MANIFEST) {
      const { id, title, level } = requirement
      const deviation = level === 'should' ? deviations[id] : undefined
      test(`${id}: ${title}${deviation === undefined ? '' : ` (deviates: ${deviation})`}`, async () => {
        if (deviation !== undefined) {
          await expect(verify(requirement, fixture)).rejects.toBeInstanceOf(ConformanceFailure)
          return
        }
        const verdict = await verify(requirement, fixture)
        expect(['passed', 'refused']).toContain(verdict)
        found?.(requirement, verdict)
      })
    }
    test('every declared deviation is one from a `should` of the manifest', () => {
      const shoulds = new Set(MANIFEST.filter(({ level }) => level === 'should').map(({ id }) => id))
      expect(Object.keys(deviations).filter((id) => !shoulds.has(id))).toEqual([])
    })
  })
}
