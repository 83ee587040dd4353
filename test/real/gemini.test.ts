/** Real @google/gemini-cli, driven through the built program. */
import { geminiAgent } from './agents.ts'
import { describeAgent } from './agent-suite.ts'

describeAgent(geminiAgent)
