/** Entry `subgate/conformance/vitest`: a test for each requirement of the manifest. */
import { describe, expect, test } from 'vitest'
import type { ProviderFixture } from './fixture.ts'
import { ConformanceFailure } from './failure.ts'
import { MANIFEST } from './manifest.ts'
import { verify } from './verify.ts'

export interface DescribeOptions {
  /** For each requirement; 60 s when absent. */
  readonly timeoutMs?: number
}

export const describeProvider = (
  name: string,
  fixture: ProviderFixture,
  { timeoutMs = 60_000 }: DescribeOptions = {},
): void => {
  const deviations = fixture.deviations ?? {}
  describe(`conformance of ${name}`, { timeout: timeoutMs }, () => {
    for (const requirement of MANIFEST) {
      const { id, title, level } = requirement
      const deviation = level === 'should' ? deviations[id] : undefined
      test(`${id}: ${title}${deviation === undefined ? '' : ` (deviates: ${deviation})`}`, async () => {
        if (deviation === undefined)
          expect(['passed', 'refused']).toContain(await verify(requirement, fixture))
        else await expect(verify(requirement, fixture)).rejects.toBeInstanceOf(ConformanceFailure)
      })
    }
    test('every declared deviation is one from a `should` of the manifest', () => {
      const shoulds = new Set(MANIFEST.filter(({ level }) => level === 'should').map(({ id }) => id))
      expect(Object.keys(deviations).filter((id) => !shoulds.has(id))).toEqual([])
    })
  })
}
