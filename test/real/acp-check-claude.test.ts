/** Which requirements of ACP are met by our face before Claude Code, by its own interface and by its adapter, and by that adapter. */
import { describeAcpCheck } from './acp-check-suite.ts'
import { claudeAgent, claudeNative } from './agents.ts'

describeAcpCheck(claudeNative, true)
describeAcpCheck(claudeAgent, true)
describeAcpCheck(claudeAgent, false)
