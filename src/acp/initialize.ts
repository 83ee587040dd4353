/** What the face says of itself: ACP's capabilities, and the rows behind them in `_meta.subgate` (law 10). Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { SubagentProvider } from '../contract/provider.ts'
import { VERSION } from '../version.ts'

export const PROTOCOL_VERSION = 1

/** What of the rows has a way through this face: no method of it forks, steers, or takes up an older connection's session. */
const served = (rows: SubagentCapabilities): SubagentCapabilities => ({
  ...rows,
  fork: 'none',
  steer: 'none',
  resume: rows.resume === 'none' ? 'none' : 'emulated',
})

/** Version 1 is the answer to every version asked for: whoever can't use it closes. */
export const initializeResponse = ({
  name,
  capabilities,
  negotiated,
}: Pick<SubagentProvider, 'name' | 'capabilities' | 'negotiated'>): acp.InitializeResponse => {
  const { images, audio, resources, additionalDirectories, mcpServers } = capabilities
  const remoteMcp = mcpServers === 'native'
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'subgate', title: `Subgate (${name})`, version: VERSION },
    agentCapabilities: {
      promptCapabilities: {
        image: images !== 'none',
        audio: audio !== 'none',
        embeddedContext: resources !== 'none',
      },
      mcpCapabilities: { http: remoteMcp, sse: remoteMcp },
      sessionCapabilities: {
        close: {},
        ...(additionalDirectories !== 'none' && { additionalDirectories: {} }),
      },
      _meta: {
        subgate: {
          version: 1,
          provider: name,
          capabilities: served(capabilities),
          negotiated: [...negotiated],
        },
      },
    },
    authMethods: [],
  }
}
