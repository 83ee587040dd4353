/** What the face says of itself: ACP's capabilities, and the rows behind them in `_meta.subgate` (law 10). Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import type { SubagentProvider } from '../contract/provider.ts'
import { VERSION } from '../version.ts'

export const PROTOCOL_VERSION = 1

/** What of the rows has a way through this face: no method of it steers. */
const served = (rows: SubagentCapabilities): SubagentCapabilities => ({ ...rows, steer: 'none' })

/** An editor that knows nothing of bounds is promised what is sure. */
export const advertisedRows = (provider: SubagentProvider): SubagentCapabilities =>
  provider.advertised?.() ?? provider.capabilities

/**
 * Version 1 is the answer to every version asked for: whoever can't use it closes. `provider` is the agent that
 * chats begin with; where it isn't the only one, the face goes by its own name.
 */
export const initializeResponse = (
  provider: SubagentProvider,
  pinned: string | undefined,
  authMethods: acp.AuthMethod[],
): acp.InitializeResponse => {
  const { name, title, capabilities, negotiated } = provider
  const { images, audio, resources, additionalDirectories, mcpServers } = advertisedRows(provider)
  const remoteMcp = mcpServers === 'native'
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: {
      name: 'subgate',
      title: pinned === undefined ? 'Subgate' : `Subgate (${title ?? name})`,
      version: VERSION,
    },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: {
        image: images !== 'none',
        audio: audio !== 'none',
        embeddedContext: resources !== 'none',
      },
      mcpCapabilities: { http: remoteMcp, sse: remoteMcp },
      sessionCapabilities: {
        list: {},
        resume: {},
        fork: {},
        close: {},
        delete: {},
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
    authMethods,
  }
}
