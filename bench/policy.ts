/**
 * `node bench/policy.ts [--repeats N]`: what it takes to read sandbox, approvals and depth of a session with 100,000
 * events and of one with ten, in turns.
 */
import { parseArgs } from 'node:util'
import type { SessionId } from '../src/contract/ids.ts'
import { capture } from '../src/runtime/capture.ts'
import { median } from './measure.ts'
import { rehearsalHouse } from './rehearsal-house.ts'
import { verdict } from './report.ts'

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '101' } } })
const repeats = Math.max(1, Number(values.repeats))
const EVENTS = { few: 10, many: 100_000 }
const READS = 5_000
/** What two measurements of the same thing differ by. */
const NOISE = 1.2

await using spawns = rehearsalHouse('spawn')
const { store } = spawns
const house = { store, lineage: undefined, now: Date.now }
const sessions = {
  few: spawns.parentOf('ses_few', EVENTS.few),
  many: spawns.parentOf('ses_many', EVENTS.many),
}

/** What a delegation takes from its parent, and what an agent asks before it acts. */
const read = (sessionId: SessionId): number => {
  const { parent } = capture({ provider: 'spawn', prompt: [], parent: { sessionId } }, new Map(), house)
  const { sandbox, approvalPolicy } = store.get(sessionId)?.registers ?? {}
  return (parent?.depth ?? 1) + (sandbox?.length ?? 0) + (approvalPolicy?.length ?? 0)
}

/** Nanoseconds of one reading. */
const timed = (id: SessionId): number => {
  const before = performance.now()
  let sum = 0
  for (let count = 0; count < READS; count += 1) sum += read(id)
  const took = performance.now() - before
  if (sum !== 0) throw new Error('a session without policy of its own has some')
  return (took * 1_000_000) / READS
}

const few: number[] = []
const many: number[] = []
for (let warm = 0; warm < 10; warm += 1) timed(warm % 2 === 0 ? sessions.few : sessions.many)
for (let round = 0; round < repeats; round += 1) {
  if (round % 2 === 0) few.push(timed(sessions.few))
  many.push(timed(sessions.many))
  if (round % 2 === 1) few.push(timed(sessions.few))
}
const [short, long] = [median(few), median(many)]
const ratio = long / short
console.log(`Sandbox, approvals and depth of a session, medians of ${repeats} times ${READS} readings:`)
console.log(`${EVENTS.few} events ${short.toFixed(0)} ns, ${EVENTS.many} events ${long.toFixed(0)} ns`)
console.log(
  `\nTargets\n${verdict(`policy of ${EVENTS.many} events ≤ ${NOISE} × that of ${EVENTS.few}`, ratio.toFixed(2), ratio <= NOISE)}`,
)
