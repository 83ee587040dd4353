/**
 * `node bench/editor.ts [--repeats N]`: 100,000 updates from an agent to an editor on the official SDK, directly and
 * through `subgate acp` in turns; and what the gateway holds while the editor reads slowly.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { median } from './measure.ts'
import { verdict } from './report.ts'

const { values } = parseArgs({ options: { repeats: { type: 'string', default: '5' } } })
const repeats = Math.max(1, Number(values.repeats))
const MANY = 100_000
const FEW = 10_000
const PAUSE_MS = 400
const RATE = 0.7
/** How much more the gateway may hold for ten times as many updates. */
const GROWTH = 1.5
const MIB = 1024

interface Heard {
  readonly heard: number
  readonly inOrder: boolean
  /** From the first number to the last. */
  readonly ms: number
  readonly peakKiB: number
}

const NODE = process.execPath
const AGENT: readonly string[] = [NODE, join(import.meta.dirname, 'mock-agent.mjs')]
const GATEWAY: readonly string[] = [
  NODE,
  join(import.meta.dirname, '../bin/subgate.js'),
  'acp',
  '--',
  ...AGENT,
]
const CLIENT = join(import.meta.dirname, 'editor-client.mjs')

const home = mkdtempSync(join(tmpdir(), 'subgate-bench-'))
const { PATH, LANG } = process.env
const env = { PATH, LANG, HOME: home, XDG_STATE_HOME: join(home, 'state'), XDG_DATA_HOME: join(home, 'data') }

const edit = async (command: readonly string[], count: number, pauseMs = 0): Promise<Heard> => {
  const args = [CLIENT, String(count), String(pauseMs), ...command]
  const { stdout } = await promisify(execFile)(NODE, args, { cwd: home, env })
  const heard = JSON.parse(stdout) as Heard
  if (heard.heard !== count || !heard.inOrder)
    throw new Error(`${heard.heard} of ${count} updates came, ${heard.inOrder ? 'in' : 'out of'} order`)
  return heard
}

const rate = ({ heard, ms }: Heard): number => (heard * 1000) / ms
const mib = ({ peakKiB }: Heard): number => peakKiB / MIB

try {
  const rates = { direct: [] as number[], gateway: [] as number[] }
  await edit(GATEWAY, FEW)
  for (let round = 0; round < repeats; round += 1) {
    // Each is first in every other round.
    if (round % 2 === 0) rates.gateway.push(rate(await edit(GATEWAY, MANY)))
    rates.direct.push(rate(await edit(AGENT, MANY)))
    if (round % 2 === 1) rates.gateway.push(rate(await edit(GATEWAY, MANY)))
  }
  const [through, direct] = [median(rates.gateway), median(rates.direct)]
  const few = mib(await edit(GATEWAY, FEW, PAUSE_MS))
  const many = mib(await edit(GATEWAY, MANY, PAUSE_MS))
  console.log(
    `Updates a second, medians of ${repeats} runs of ${MANY} in turns, all of them complete and in order:`,
  )
  console.log(`through subgate acp ${through.toFixed(0)}, directly ${direct.toFixed(0)}`)
  console.log(
    `Peak of the gateway beside a slow editor: ${few.toFixed(0)} MiB with ${FEW} updates, ${many.toFixed(0)} MiB with ${MANY}`,
  )
  const ratio = through / direct
  const growth = many / few
  console.log(`\nTargets\n${verdict(`updates a second ≥ ${RATE} × direct`, ratio.toFixed(2), ratio >= RATE)}`)
  console.log(verdict(`peak of ten times as many ≤ ${GROWTH} ×`, growth.toFixed(2), growth <= GROWTH))
} finally {
  rmSync(home, { recursive: true, force: true })
}
