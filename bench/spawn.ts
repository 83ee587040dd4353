/**
 * `node bench/spawn.ts [--repeats N]`: children one after the other, each started by a parent session, answering with
 * one word of a scripted model in this process, and gone; here and in dsh in turns.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median } from './measure.ts'
import { rehearsalHouse } from './rehearsal-house.ts'
import { verdict } from './report.ts'

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '11' } } })
const repeats = Math.max(1, Number(values.repeats))
const BATCH = 500
const WARM = 3
const TIMES = 4

interface Spawner {
  spawn(prompt: string): Promise<string>
}

const DSH = join(import.meta.dirname, 'dsh')

const openDsh = async (): Promise<Spawner & { close(): Promise<void> }> => {
  if (!existsSync(join(DSH, 'node_modules'))) {
    console.log('Installing dsh from bench/dsh/package-lock.json …')
    execFileSync('npm', ['ci', '--ignore-scripts', '--prefix', DSH], { stdio: 'inherit' })
  }
  // A package of its own, without types here.
  const module = (await import(join(DSH, 'spawns.mjs'))) as { openDsh: typeof openDsh }
  return module.openDsh()
}

/** Children a second. */
const rate = async (spawner: Spawner): Promise<number> => {
  const before = performance.now()
  for (let child = 0; child < BATCH; child += 1) {
    const text = await spawner.spawn('say: done')
    if (text !== 'done') throw new Error(`a child said ${JSON.stringify(text)}`)
  }
  return (BATCH * 1000) / (performance.now() - before)
}

const dsh = await openDsh()
await using house = rehearsalHouse('spawn')
const parent = { sessionId: house.parentOf('ses_parent', 2) }
const ours: Spawner = {
  spawn: async (prompt) => {
    const content = [{ type: 'text', text: prompt }] as const
    const run = await house.runtime.start({ provider: 'spawn', prompt: content, parent })
    return (await run.result).text
  },
}

for (let warm = 0; warm < WARM; warm += 1) {
  await rate(ours)
  await rate(dsh)
}
const rates = { ours: [] as number[], dsh: [] as number[] }
for (let round = 0; round < repeats; round += 1) {
  // Each is first in every other round.
  if (round % 2 === 0) rates.ours.push(await rate(ours))
  rates.dsh.push(await rate(dsh))
  if (round % 2 === 1) rates.ours.push(await rate(ours))
}
const [here, there] = [median(rates.ours), median(rates.dsh)]
console.log(`Sequential spawns a second, medians of ${repeats} batches of ${BATCH} in turns:`)
console.log(`subgate ${here.toFixed(0)}, dsh 0.1.0-rc.8 ${there.toFixed(0)}`)
const ratio = here / there
console.log(`\nTargets\n${verdict(`sequential spawns ≥ ${TIMES} × dsh`, ratio.toFixed(2), ratio >= TIMES)}`)
await dsh.close()
