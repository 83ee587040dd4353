/** Which requirements of ACP are met by our face before Codex, by its own interface and by its adapter, and by that adapter. */
import { describeAcpCheck } from './acp-check-suite.ts'
import { codexAgent, codexNative } from './agents.ts'

describeAcpCheck(codexNative, true)
describeAcpCheck(codexAgent, true)
describeAcpCheck(codexAgent, false)
