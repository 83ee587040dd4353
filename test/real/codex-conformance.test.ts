/** The conformance manifest on the real Codex: what docs/providers/codex.md says of it is proven here. */
import { describeProvider } from '../../src/conformance/vitest.ts'
import { codexFixture } from './codex-fixture.ts'

describeProvider('Codex', codexFixture, { timeoutMs: 90_000 })
