/** The README's first command: a real delegation to the example agent, its event stream shown. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'subgate-demo-'))
const notes = join(folder, 'notes.md')
const task = 'read notes.md then replace "colour" with "color" in notes.md then count words in notes.md'

try {
  writeFileSync(notes, 'The colour of the gate is a colour of its own.\n')
  const agent = ['node', join(root, 'dist/example-agent.js')]
  console.log(
    `$ subgate run --permission allow --output-format stream-json ${JSON.stringify(task)} -- ${agent.join(' ')}\n`,
  )
  const run = spawnSync(
    process.execPath,
    [
      join(root, 'bin/subgate.js'),
      'run',
      '-C',
      folder,
      '--permission',
      'allow',
      '--output-format',
      'stream-json',
      task,
      '--',
      ...agent,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  console.log(`\nexit ${run.status}; notes.md now reads: ${readFileSync(notes, 'utf8').trim()}`)
  process.exitCode = run.status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
