/** The README's first command: the built-in agent delegates to a fork of itself and to another agent over ACP. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const place = mkdtempSync(join(tmpdir(), 'subgate-demo-'))
const folder = join(place, 'work')
const notes = join(folder, 'notes.md')

const configuration = {
  providers: {
    example: { command: ['node', join(root, 'dist/example-agent.js')], permission: 'allow', asks: true },
  },
  tools: { fork: { provider: 'fork' }, example: { provider: 'example', maxDepth: 'provider-managed' } },
}

/** A script for the rehearsal model, which needs no account and no key (docs/rehearsal.md). */
const task = [
  'say: First a copy of myself looks around; then another agent does the work.',
  `call fork: ${JSON.stringify({ description: 'look around', prompt: 'call glob: {"pattern": "*.md"}' })}`,
  `call example: ${JSON.stringify({ description: 'fix the spelling', prompt: 'replace "colour" with "color" in notes.md then count words in notes.md' })}`,
  'say: Both have answered.',
].join('\n')

try {
  mkdirSync(folder)
  mkdirSync(join(place, 'subgate'))
  writeFileSync(notes, 'The colour of the gate is a colour of its own.\n')
  writeFileSync(join(place, 'subgate/config.json'), JSON.stringify(configuration))
  console.log(`$ subgate run spawn --model rehearsal --output-format stream-json -f task\n\n${task}\n`)
  const run = spawnSync(
    process.execPath,
    [
      join(root, 'bin/subgate.js'),
      'run',
      'spawn',
      '--model',
      'rehearsal',
      '-C',
      folder,
      '--output-format',
      'stream-json',
      task,
    ],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, XDG_CONFIG_HOME: place } },
  )
  console.log(`\nexit ${run.status}; notes.md now reads: ${readFileSync(notes, 'utf8').trim()}`)
  process.exitCode = run.status ?? 1
} finally {
  rmSync(place, { recursive: true, force: true })
}
