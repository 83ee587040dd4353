/** Real @agentclientprotocol/claude-agent-acp, driven through the built program. */
import { claudeAgent } from './agents.ts'
import { describeAgent } from './agent-suite.ts'

describeAgent(claudeAgent)
