/** A runtime whose one provider is the built-in agent on the rehearsal model, and whose store is in memory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadModel } from '../src/agent/models/model.ts'
import { sessionId } from '../src/contract/ids.ts'
import type { SessionId } from '../src/contract/ids.ts'
import { inProcessProvider } from '../src/providers/in-process/provider.ts'
import type { InProcessName } from '../src/providers/in-process/provider.ts'
import { DEFAULT_SETTINGS } from '../src/runtime/options.ts'
import { GatewayRuntime } from '../src/runtime/subagent-runtime.ts'
import { memoryStore } from '../src/sessions/memory-store.ts'
import type { Store } from '../src/sessions/store.ts'
import { storeConversation } from '../test/fixtures/long-conversation.ts'

export interface RehearsalHouse extends AsyncDisposable {
  readonly runtime: GatewayRuntime
  readonly store: Store
  /** A stored session with so many events, of one completed turn. */
  parentOf(name: string, events: number): SessionId
}

export const rehearsalHouse = (name: InProcessName): RehearsalHouse => {
  const cwd = mkdtempSync(join(tmpdir(), `subgate-bench-${name}-`))
  const store = memoryStore()
  const provider = inProcessProvider(name, {
    store,
    outputsDir: join(cwd, 'outputs'),
    model: 'rehearsal',
    models: new Map(),
    sandbox: 'workspace-write',
    approvals: 'ask',
    delegationTools: [{ name: 'subagent', provider: name }],
    loadModel: (ref) => loadModel(ref, { env: {} }),
    modelHint: () => '',
    newId: () => crypto.randomUUID(),
  })
  const runtime = new GatewayRuntime({
    store,
    settings: { ...DEFAULT_SETTINGS, cwd, concurrency: { total: 1000, queue: 0 } },
    providers: [{ provider }],
  })
  return {
    runtime,
    store,
    parentOf: (id, events) => {
      storeConversation(store, sessionId(id), { events, cwd })
      return sessionId(id)
    },
    [Symbol.asyncDispose]: async () => {
      await runtime[Symbol.asyncDispose]()
      rmSync(cwd, { recursive: true, force: true })
    },
  }
}
