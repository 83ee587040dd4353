/** The manifest: complete, well-named, and current in the documentation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BEHAVIOUR_CHECKS } from '../../../src/conformance/behaviour-checks.ts'
import { conformanceMarkdown, MANIFEST } from '../../../src/conformance/index.ts'

const ids = MANIFEST.map(({ id }) => id)

/** Pinned: an id is never renamed or reused. */
const PINNED = [
  'run/started-first-settled-last',
  'run/updates-in-order',
  'run/replay-equals-live',
  'run/nothing-after-settle',
  'result/answer-is-completed',
  'result/text-is-the-output',
  'result/silence-is-empty',
  'result/white-space-is-empty',
  'result/tool-calls-only-is-empty',
  'result/refusal-is-refused',
  'result/truncation-is-truncated',
  'result/fault-is-failed',
  'result/is-a-fold-of-the-log',
  'cancel/settles-cancelled',
  'cancel/keeps-partial-text',
  'cancel/is-heard',
  'dispose/is-idempotent',
  'dispose/cancels-what-runs',
  'settled/is-gone',
  'settled/is-gone-after-cancel',
  'settled/is-gone-after-a-fault',
  'open/aborted-leaves-nothing',
  'open/is-unpublished',
  'open/claims-no-more-than-declared',
  'gate/names-all-that-is-missing',
  'gate/unknown-controls-are-refused',
  'gate/own-refusal-comes-first',
  'permission/answered-before-it-acts',
  'permission/cancel-answers-what-is-open',
  'tool-filter/qualified-name',
  'tool-filter/later-tool',
  'tool-filter/empty-list',
  'tool-filter/deny-wins',
]

const ROWS =
  'depthLimit persona toolFilter sandbox permissions outputSchema images audio resources additionalDirectories model effort mcpServers resume fork steer maxTurns maxTokens maxCostUsd'.split(
    ' ',
  )

describe('the manifest', () => {
  test('has these behaviours, and for each capability that it is honoured and that it is refused', () => {
    const rows = ROWS.flatMap((row) => [`capability/${row}/honoured`, `capability/${row}/refused`])
    expect(ids).toEqual([...PINNED, ...rows])
  })

  test('is plain data', () => {
    expect(JSON.parse(JSON.stringify(MANIFEST))).toEqual(MANIFEST)
  })

  test('every behaviour has a check, and no check is without one', () => {
    const special =
      /^(?:capability\/|tool-filter\/|gate\/names-all-that-is-missing$|gate\/own-refusal-comes-first$)/u
    expect(Object.keys(BEHAVIOUR_CHECKS).toSorted()).toEqual(ids.filter((id) => !special.test(id)).toSorted())
  })

  test('docs/conformance.md begins with it, and is current', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/conformance.md'), 'utf8')
    expect(page.slice(0, conformanceMarkdown().length)).toBe(conformanceMarkdown())
  })
})
