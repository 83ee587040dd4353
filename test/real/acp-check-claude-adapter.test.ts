/** Which requirements of ACP are met by Claude Code's adapter, and by our face before it. */
import { describeAcpCheck } from './acp-check-suite.ts'
import { claudeAgent } from './agents.ts'

describeAcpCheck(claudeAgent, true)
describeAcpCheck(claudeAgent, false)
