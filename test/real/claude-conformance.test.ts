/** The conformance manifest on the real Claude Code: what docs/providers/claude-code.md says of it is proven here. */
import { describeProvider } from '../../src/conformance/vitest.ts'
import { CLAUDE_ROWS } from '../../src/providers/claude-code/capabilities.ts'
import { claudeFixture } from './claude-fixture.ts'
import { matrixPage } from './matrix-docs.ts'

const page = matrixPage('claude-code', CLAUDE_ROWS)

describeProvider('Claude Code', claudeFixture, { timeoutMs: 180_000, found: page.found })
page.compare()
