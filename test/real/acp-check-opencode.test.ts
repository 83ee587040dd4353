/** Which requirements of ACP are met by OpenCode, and by our face before it: minutes, as it starts slowly; so only where it is asked for. */
import { describeAcpCheck } from './acp-check-suite.ts'
import { opencodeAgent } from './agents.ts'

describeAcpCheck(opencodeAgent, true)
describeAcpCheck(opencodeAgent, false)
