/** A provider's page says of each capability what it declares and what a conformance run on the real program found. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Requirement, Verdict } from '../../src/conformance/index.ts'
import type { SubagentCapabilities } from '../../src/contract/capabilities.ts'

const ROW = /^\| (?<id>\w+) \| (?<support>none|emulated|native) \| .+ \|$/gmu

const tableOf = (page: string): Readonly<Record<string, string>> => {
  const text = readFileSync(new URL(`../../docs/providers/${page}.md`, import.meta.url), 'utf8')
  return Object.fromEntries(
    [...text.matchAll(ROW)].map(({ groups = {} }) => [groups['id'] ?? '', groups['support'] ?? '']),
  )
}

export interface MatrixPage {
  /** For `describeProvider`. */
  readonly found: (requirement: Requirement, verdict: Verdict) => void
  /** Registers the test; it belongs after the ones that find. */
  readonly compare: () => void
}

export const matrixPage = (page: string, declared: SubagentCapabilities): MatrixPage => {
  const verdicts = new Map<string, Verdict>()
  return {
    found: ({ id }, verdict) => verdicts.set(id, verdict),
    compare: () =>
      test(`docs/providers/${page}.md has the matrix that is declared, and that was found`, () => {
        const table = tableOf(page)
        expect(table).toEqual(declared)
        for (const [id, support] of Object.entries(table)) {
          const honoured = verdicts.get(`capability/${id}/honoured`)
          expect([id, honoured]).toEqual([id, support === 'none' ? 'refused' : 'passed'])
          expect([id, verdicts.get(`capability/${id}/refused`)]).toEqual([id, 'refused'])
        }
      }),
  }
}
