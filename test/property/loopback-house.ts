/** The same provider twice: on a runtime of its own, and behind our ACP face and our ACP provider. */
import { PassThrough } from 'node:stream'
import { serveAcp } from '../../src/acp/face.ts'
import { servedOne } from '../../src/acp/served.ts'
import { editorStream } from '../../src/acp/stream.ts'
import { StoredRun } from '../../src/runtime/stored-run.ts'
import { silentLogger } from '../../src/contract/logger.ts'
import type { SubagentProvider } from '../../src/contract/provider.ts'
import type { SupervisedProcess } from '../../src/process/supervised.ts'
import type { Supervisor } from '../../src/process/supervisor.ts'
import { AcpProvider } from '../../src/providers/acp/provider.ts'
import { DEFAULT_SETTINGS } from '../../src/runtime/options.ts'
import { GatewayRuntime } from '../../src/runtime/subagent-runtime.ts'
import { memoryStore } from '../../src/sessions/memory-store.ts'
import type { Store } from '../../src/sessions/store.ts'

export interface Route extends AsyncDisposable {
  readonly runtime: GatewayRuntime
  readonly store: Store
}

export const direct = (provider: SubagentProvider, cwd: string): Route => {
  const store = memoryStore()
  const runtime = new GatewayRuntime({
    store,
    settings: { ...DEFAULT_SETTINGS, cwd },
    providers: [{ provider }],
  })
  return { runtime, store, [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose]() }
}

export const looped = (provider: SubagentProvider, cwd: string): Route => {
  const inner = direct(provider, cwd)
  const outer = direct(
    new AcpProvider({
      name: provider.name,
      command: ['subgate-in-memory', 'acp'],
      gateway: true,
      version: '0',
      supervisor: {
        spawn: () => Promise.resolve(faceProcess(inner, provider.name)),
      } as unknown as Supervisor,
      answers: { recall: () => undefined, remember: () => {} },
      log: silentLogger,
      inherited: {},
    }),
    cwd,
  )
  return {
    ...outer,
    async [Symbol.asyncDispose]() {
      await outer[Symbol.asyncDispose]()
      await inner[Symbol.asyncDispose]()
    },
  }
}

/** A face over streams in memory, in the place of a process. */
const faceProcess = ({ runtime, store }: Route, provider: string): SupervisedProcess => {
  const stdout = new PassThrough()
  const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1e9 })
  const writer = input.writable.getWriter()
  const way = {
    say: async (chunk: Uint8Array) => {
      if (!stdout.write(chunk)) await new Promise<void>((resolve) => stdout.once('drain', resolve))
    },
    flushed: () => Promise.resolve(),
  }
  const face = serveAcp({
    host: {
      runtime,
      store,
      rootRequest: async (request) => request,
      remove: (ids) => store.remove(ids),
      recovered: Promise.resolve(),
      storedRun: (row) => new StoredRun(row, store, Date.now),
    },
    served: servedOne(provider, async () => []),
    stream: editorStream(way, input.readable),
    log: silentLogger,
  })
  const exited = Promise.withResolvers<{ exitCode: number }>()
  let stopping: Promise<{ escaped: readonly number[] }> | undefined
  const stop = async (): Promise<{ escaped: readonly number[] }> => {
    await face[Symbol.asyncDispose]()
    stdout.end()
    exited.resolve({ exitCode: 0 })
    return { escaped: [] }
  }
  return {
    pid: 1,
    stdout,
    exited: exited.promise,
    write: (data) => {
      writer.write(typeof data === 'string' ? Buffer.from(data) : data).catch(() => {})
      return true
    },
    endInput: () => void writer.close().catch(() => {}),
    mask: (text: string) => text,
    stderrTail: () => '',
    facts: () => ({ command: 'subgate-in-memory acp', cwd: '/' }),
    below: () => [],
    stop: () => (stopping ??= stop()),
  }
}
