/**
 * `node --expose-gc bench/fork.ts [--rounds N]`: what the start of a fork takes with 22,000 shared events and with none,
 * in turns, and what a live fork holds of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loadModel } from '../src/agent/models/model.ts'
import { sessionId } from '../src/contract/ids.ts'
import type { SessionId } from '../src/contract/ids.ts'
import type { SubagentRun } from '../src/contract/run.ts'
import { inProcessProvider } from '../src/providers/in-process/provider.ts'
import { DEFAULT_SETTINGS } from '../src/runtime/options.ts'
import { GatewayRuntime } from '../src/runtime/subagent-runtime.ts'
import { memoryStore } from '../src/sessions/memory-store.ts'
import { storeConversation } from '../test/fixtures/long-conversation.ts'
import { median } from './measure.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } })
const rounds = Math.max(1, Number(values.rounds))
const EVENTS = 22_000
const LIVE = 50

const cwd = mkdtempSync(join(tmpdir(), 'subgate-bench-fork-'))
const store = memoryStore()
const runtime = new GatewayRuntime({
  store,
  settings: { ...DEFAULT_SETTINGS, cwd, concurrency: { total: 1000, queue: 0 } },
  providers: [
    {
      provider: inProcessProvider('fork', {
        store,
        outputsDir: join(cwd, 'outputs'),
        model: 'rehearsal',
        models: new Map(),
        sandbox: 'workspace-write',
        approvals: 'ask',
        delegationTools: [{ name: 'subagent', provider: 'fork' }],
        loadModel: (ref) => loadModel(ref, { env: {} }),
        modelHint: () => '',
        newId: () => crypto.randomUUID(),
      }),
    },
  ],
})

const parentOf = (name: string, events: number): SessionId => {
  const id = sessionId(name)
  storeConversation(store, id, { events, cwd })
  return id
}
// A session that has one run and nothing in it is the shortest there is.
const parents = { none: parentOf('ses_none', 2), long: parentOf('ses_long', EVENTS) }

const start = (id: SessionId, keep = false): Promise<SubagentRun> =>
  runtime.start({
    provider: 'fork',
    prompt: [{ type: 'text', text: 'say: done' }],
    parent: { sessionId: id },
    ...(keep && { keep }),
  })

const timed = async (id: SessionId): Promise<number> => {
  const before = performance.now()
  const run = await start(id)
  const took = performance.now() - before
  await run.result
  await setImmediate()
  return took
}

const heap = async (): Promise<number> => {
  for (const _ of [1, 2, 3]) {
    globalThis.gc?.()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed
}

try {
  for (let warm = 0; warm < 20; warm += 1) await Promise.all([timed(parents.none), timed(parents.long)])
  const none: number[] = []
  const long: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    // Each is first in every other round, so that both bear what the other left behind.
    if (round % 2 === 0) none.push(await timed(parents.none))
    long.push(await timed(parents.long))
    if (round % 2 === 1) none.push(await timed(parents.none))
  }
  const [short, far] = [median(none), median(long)]
  console.log(`start of a fork of a session with no history: ${short.toFixed(3)} ms`)
  console.log(`start of a fork of ${EVENTS} events: ${far.toFixed(3)} ms, ${(far / short).toFixed(2)} × that`)
  if (globalThis.gc === undefined) console.log('live bytes: run with --expose-gc')
  else {
    const before = await heap()
    for (let live = 0; live < LIVE; live += 1) await (await start(parents.long, true)).result
    const each = ((await heap()) - before) / LIVE
    console.log(`a live fork of ${EVENTS} events holds ${(each / 1024).toFixed(1)} KiB`)
  }
} finally {
  await runtime[Symbol.asyncDispose]()
  rmSync(cwd, { recursive: true, force: true })
}
