/** Which requirements of ACP are met by Gemini CLI and the SDK's example agent, and by our face before them. */
import { describeAcpCheck } from './acp-check-suite.ts'
import { exampleAgent, geminiAgent } from './agents.ts'

for (const agent of [geminiAgent, exampleAgent]) {
  describeAcpCheck(agent, true)
  describeAcpCheck(agent, false)
}
