/** `node bench/command-lines.ts [--repeats N] [--out FILE]`: times and memory side by side, in interleaved repeats. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CONTESTANTS, installPeer } from './contestants.ts'
import type { Name } from './contestants.ts'
import { median, sample, together } from './measure.ts'
import type { Place } from './measure.ts'
import { table, targets } from './report.ts'
import type { Row } from './report.ts'

const { values: options } = parseArgs({
  options: { repeats: { type: 'string', default: '11' }, out: { type: 'string' } },
})
const repeats = Math.max(1, Number(options.repeats))
const few = Math.max(1, Math.ceil(repeats / 3))

const ONE = 'one chunk'
const MANY = '20000 chunks'
const MANY_BYTES = 20_000 * 64
const ANSWER = 'MOCK-ANSWER'

const home = mkdtempSync(join(tmpdir(), 'subgate-bench-'))
const place: Place = {
  cwd: home,
  env: {
    PATH: process.env['PATH'],
    LANG: process.env['LANG'],
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CACHE_HOME: join(home, 'cache'),
  },
}

/** One round warms the caches that an installed program has, and finds who can't run here. */
const runnable = async (): Promise<readonly Name[]> => {
  const names: Name[] = []
  for (const name of ['subgate', 'floor', 'sdk', 'acpx'] as const)
    try {
      if (name === 'acpx') installPeer()
      await sample(CONTESTANTS[name].argv(ONE), ANSWER, place)
      names.push(name)
    } catch (error) {
      const hint = name === 'subgate' ? 'not built? `npm run build` first' : 'left out'
      console.log(`${CONTESTANTS[name].name} (${hint}): ${(error as Error).message.split('\n')[0]}`)
    }
  return names
}

/** The contestants take turns, so that a slow moment of the machine meets all of them. */
const inTurns = async (
  names: readonly Name[],
  times: number,
  measure: (argv: (prompt: string) => readonly string[]) => Promise<readonly number[]>,
): Promise<readonly { readonly [N in Name]?: number }[]> => {
  const all = new Map<Name, (readonly number[])[]>(names.map((name) => [name, []]))
  for (let time = 0; time < times; time += 1)
    for (const name of names) all.get(name)?.push(await measure(CONTESTANTS[name].argv))
  const width = all.get(names[0]!)?.[0]?.length ?? 0
  return Array.from({ length: width }, (_, index) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        median(all.get(name)?.map((figures) => figures[index] ?? Number.NaN) ?? []),
      ]),
    ),
  )
}

const MIB = 1024
const load = (): string => loadavg()[0]?.toFixed(1) ?? '?'

try {
  const names = await runnable()
  console.log(
    `Node ${process.version}, ${availableParallelism()} cores, load ${load()}; medians of ${repeats} (first text, exit) and ${few} repeats\n`,
  )
  const [first = {}, exit = {}] = await inTurns(names, repeats, async (argv) => {
    const { firstTextMs, exitMs } = await sample(argv(ONE), ANSWER, place)
    return [firstTextMs, exitMs]
  })
  const [eight = {}] = await inTurns(names, few, async (argv) => [
    await together(8, argv(ONE), ANSWER, place),
  ])
  const [many = {}] = await inTurns(names, few, async (argv) => {
    const { exitMs, bytes } = await sample(argv(MANY), ANSWER, place)
    if (bytes < MANY_BYTES) throw new Error(`only ${bytes} bytes came through: ${argv(MANY).join(' ')}`)
    return [exitMs]
  })
  const [peak = {}, peakMany = {}] = await inTurns(names, few, async (argv) => [
    (await sample(argv(ONE), ANSWER, place, true)).peakKiB / MIB,
    (await sample(argv(MANY), ANSWER, place, true)).peakKiB / MIB,
  ])
  const rows: readonly Row[] = [
    { what: 'first text', unit: 'ms', values: first },
    { what: 'exit', unit: 'ms', values: exit },
    { what: 'eight at once', unit: 'ms', values: eight },
    { what: '20,000 chunks', unit: 'ms', values: many },
    { what: 'peak memory', unit: 'MiB', values: peak },
    { what: 'peak memory, 20,000 chunks', unit: 'MiB', values: peakMany },
  ]
  console.log(table(rows))
  console.log(`\nTargets\n${targets(rows)}\nLoad at the end: ${load()}`)
  if (options.out !== undefined) writeFileSync(options.out, `${JSON.stringify(rows, null, 2)}\n`)
} finally {
  rmSync(home, { recursive: true, force: true })
}
