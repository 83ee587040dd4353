import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const report = process.env['SUBGATE_TEST_REPORT']

/** What a package of this name would give, from the sources. */
const entry = (path: string): string => join(import.meta.dirname, 'src', path)

export default defineConfig({
  resolve: {
    alias: {
      'subgate/provider': entry('provider.ts'),
      'subgate/conformance': entry('conformance/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/real/**', 'node_modules/**'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
})
