/** The conformance manifest on the real Codex: what docs/providers/codex.md says of it is proven here. */
import { describeProvider } from '../../src/conformance/vitest.ts'
import { CODEX_ROWS } from '../../src/providers/codex/capabilities.ts'
import { codexFixture } from './codex-fixture.ts'
import { matrixPage } from './matrix-docs.ts'

const page = matrixPage('codex', CODEX_ROWS)

describeProvider('Codex', codexFixture, { timeoutMs: 90_000, found: page.found })
page.compare()
