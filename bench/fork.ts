/**
 * `node --expose-gc bench/fork.ts [--repeats N]`: what the start of a fork takes with 22,000 shared events and with none,
 * in turns, and what a live fork holds of its own.
 */
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { SessionId } from '../src/contract/ids.ts'
import type { SubagentRun } from '../src/contract/run.ts'
import { median } from './measure.ts'
import { rehearsalHouse } from './rehearsal-house.ts'
import { verdict } from './report.ts'

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '200' } } })
const repeats = Math.max(1, Number(values.repeats))
const EVENTS = 22_000
const LIVE = 50
const MOST_TIME = 1.2
const MOST_KIB = 32

await using house = rehearsalHouse('fork')
// A session that has one run and nothing in it is the shortest there is.
const parents = { none: house.parentOf('ses_none', 2), long: house.parentOf('ses_long', EVENTS) }

const start = (id: SessionId, keep = false): Promise<SubagentRun> =>
  house.runtime.start({
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

for (let warm = 0; warm < 20; warm += 1) await Promise.all([timed(parents.none), timed(parents.long)])
const none: number[] = []
const long: number[] = []
for (let round = 0; round < repeats; round += 1) {
  // Each is first in every other round, so that both bear what the other left behind.
  if (round % 2 === 0) none.push(await timed(parents.none))
  long.push(await timed(parents.long))
  if (round % 2 === 1) none.push(await timed(parents.none))
}
const [short, far] = [median(none), median(long)]
const ratio = far / short
console.log(`start of a fork of a session with no history: ${short.toFixed(3)} ms`)
console.log(`start of a fork of ${EVENTS} events: ${far.toFixed(3)} ms`)
const targets = [
  verdict(
    `start of a fork of ${EVENTS} events ≤ ${MOST_TIME} × one of none`,
    ratio.toFixed(2),
    ratio <= MOST_TIME,
  ),
]
if (globalThis.gc === undefined) console.log('live bytes: run with --expose-gc')
else {
  const before = await heap()
  for (let live = 0; live < LIVE; live += 1) await (await start(parents.long, true)).result
  const each = ((await heap()) - before) / LIVE / 1024
  targets.push(verdict(`a live fork holds ≤ ${MOST_KIB} KiB of its own`, each.toFixed(1), each <= MOST_KIB))
}
console.log(`\nTargets\n${targets.join('\n')}`)
