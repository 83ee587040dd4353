/** Real @agentclientprotocol/codex-acp, driven through the built program. */
import { codexAgent } from './agents.ts'
import { describeAgent } from './agent-suite.ts'

describeAgent(codexAgent)
