/**
 * Real agents against the built program, with a model on loopback: no account, key or network is needed.
 * Once: `npm ci --prefix test/real` (about 2 GB) and `npm run build`; then, from the project's root,
 * `npx vitest run --config test/real/vitest.config.ts`. Two files run side by side. What takes
 * minutes, on OpenCode and on Claude Code's adapter, runs only with `SUBGATE_TEST_SLOW=1`.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

const report = process.env['SUBGATE_TEST_REPORT']

const SLOW: string[] = ['acp-check-opencode.test.ts', 'acp-check-claude-adapter.test.ts']

/** The longest first, so that no worker is idle at the end. */
const LONGEST: readonly string[] = [
  'claude-conformance',
  'acp-check-others',
  'claude-faces',
  'codex-conformance',
  'codex-faces',
  'acp-check',
  'acpx',
]

const place = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.includes(name))
  return at === -1 ? LONGEST.length : at
}

class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => place(one) - place(other)))
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    exclude: process.env['SUBGATE_TEST_SLOW'] === undefined ? SLOW : [],
    testTimeout: 90_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
})
