/** `npm run bench [-- NAME…] [--repeats N] [--out FILE]`: the measurements of these names, or all, each in a process of its own. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Program {
  readonly file: string
  readonly flags: readonly string[]
}

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ['command-lines', { file: 'command-lines.ts', flags: [] }],
  ['spawn', { file: 'spawn.ts', flags: [] }],
  ['fork', { file: 'fork.ts', flags: ['--expose-gc'] }],
  ['policy', { file: 'policy.ts', flags: [] }],
  ['editor', { file: 'editor.ts', flags: [] }],
  ['real', { file: 'real.ts', flags: [] }],
])

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repeats: { type: 'string' }, out: { type: 'string' } },
})
const unknown = positionals.find((name) => !PROGRAMS.has(name))
if (unknown !== undefined) {
  console.error(`No measurement is named "${unknown}". There are: ${[...PROGRAMS.keys()].join(', ')}.`)
  process.exit(2)
}

const argsFor = (name: string): readonly string[] => [
  ...(values.repeats === undefined ? [] : ['--repeats', values.repeats]),
  ...(values.out === undefined || name !== 'command-lines' ? [] : ['--out', values.out]),
]

for (const [name, { file, flags }] of PROGRAMS) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  console.log(`\n# ${name}`)
  const args = [...flags, join(import.meta.dirname, file), ...argsFor(name)]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
