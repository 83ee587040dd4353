/** Which requirements of ACP are met by our face before Claude Code, by its own interface. */
import { describeAcpCheck } from './acp-check-suite.ts'
import { claudeNative } from './agents.ts'

describeAcpCheck(claudeNative, true)
