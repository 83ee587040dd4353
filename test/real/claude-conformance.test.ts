/** The conformance manifest on the real Claude Code: what docs/providers/claude-code.md says of it is proven here. */
import { describeProvider } from '../../src/conformance/vitest.ts'
import { claudeFixture } from './claude-fixture.ts'

describeProvider('Claude Code', claudeFixture, { timeoutMs: 90_000 })
