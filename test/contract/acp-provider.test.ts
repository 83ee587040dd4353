/** The conformance suite over the ACP provider, on fake agents in processes of their own. */
import { describeProvider } from '../../src/conformance/vitest.ts'
import { bareAcpAgent, sharedAcpAgent, wholeAcpAgent } from '../fixtures/conformance/acp.ts'

describeProvider('the ACP provider over an agent that has everything', wholeAcpAgent)

describeProvider('the ACP provider over an agent that says nothing of itself', bareAcpAgent)

describeProvider('the ACP provider over an agent whose sessions share processes', sharedAcpAgent)
