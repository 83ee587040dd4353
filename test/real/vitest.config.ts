/**
 * Real agents against the built program, with a model on loopback: no account, key or network is needed.
 * Once: `npm ci --prefix test/real` (about 1.8 GB) and `npm run build`; then, from the project's root,
 * `npx vitest run --config test/real/vitest.config.ts`. Two files run side by side.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const report = process.env['SUBGATE_TEST_REPORT']

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    testTimeout: 90_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
})
