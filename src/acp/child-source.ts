/** What the tree of a chat's agents asks of the gateway. */
import type { FaceHost } from './host.ts'
import type { TreeSource } from './subagents/tree.ts'

export const childSource = ({ runtime, store }: FaceHost): TreeSource => ({
  titleOf: (name) => runtime.providers.find(name)?.provider.title ?? name,
  stored: (id) => {
    const session = store.get(id)
    return session && { cwd: session.header.cwd, nativeId: session.registers.nativeId }
  },
  cancelSubagent: (sessionId, childId) => runtime.cancelSubagent(sessionId, childId),
})
