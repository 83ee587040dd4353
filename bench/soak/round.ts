/** One round: a host under load is killed at a random moment, and the next gateway finds everything in order. */
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gateway } from '../../src/gateway.ts'
import type { SessionId } from '../../src/contract/ids.ts'

export interface Round {
  /** Events that a reader saw before the kill. */
  readonly seen: number
  readonly sessions: number
  /** What is wrong, in words; empty = nothing. */
  readonly faults: readonly string[]
}

/** A host that says nothing for so long hangs; slow is none of its faults. */
const SILENT_MS = 600_000

/** Rounds that share `root` share its database, as a user's processes do. */
export const soakRound = async (root: string, delayMs: number): Promise<Round> => {
  const env = environment(root)
  const lines = await killedHost(env, root, delayMs)
  const faults: string[] = []
  await using gateway = await Gateway.create({ cwd: root, home: root, env })
  await gateway.recovered
  const seen = lines.map(parse)
  const { store } = gateway
  for (const { id, seq, what } of seen) {
    if (seq === undefined) {
      if (store.get(id)?.registers.lastStatus !== what)
        faults.push(`${id}: a reader saw its end (${what}), the store has none`)
    } else if (store.read(id, seq - 1, 1)[0]?.event.type !== what)
      faults.push(`${id}: event ${seq} (${what}) is lost`)
  }
  for (const { header } of store.list({ openOnly: true, limit: 1000 }))
    faults.push(`${header.id}: its run is still open`)
  const ids = new Set(seen.map(({ id }) => id))
  for (const id of ids)
    faults.push(
      ...gaps(
        id,
        store.read(id, 0, 1_000_000).map(({ seq }) => seq),
      ),
    )
  for (const words of await left(env)) faults.push(`a process is left: ${words}`)
  const run = await gateway.runtime.start({
    provider: 'spawn',
    model: 'rehearsal',
    cwd: root,
    prompt: [{ type: 'text', text: 'say: still here' }],
  })
  const { status, text } = await run.result
  if (status !== 'completed' || text !== 'still here') faults.push(`the next run ended ${status}: ${text}`)
  return { seen: seen.length, sessions: ids.size, faults }
}

const environment = (root: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: root,
  XDG_STATE_HOME: join(root, 'state'),
  XDG_CONFIG_HOME: join(root, 'config'),
  XDG_DATA_HOME: join(root, 'data'),
  XDG_CACHE_HOME: join(root, 'cache'),
})

/** Resolves with the whole lines that it wrote. */
const killedHost = async (
  env: Record<string, string>,
  cwd: string,
  delayMs: number,
): Promise<readonly string[]> => {
  const host = spawn(process.execPath, [join(import.meta.dirname, 'host.ts')], {
    env: { ...env, NODE_COMPILE_CACHE: join(cwd, 'compiled') },
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => host.once('close', resolve))
  const alarm = setTimeout(() => host.kill('SIGKILL'), SILENT_MS)
  let text = ''
  host.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text === '') setTimeout(() => host.kill('SIGKILL'), delayMs)
    text += chunk
  })
  await ended
  clearTimeout(alarm)
  if (text === '') throw new Error('The host wrote nothing before it was ended.')
  // The last one may be cut.
  return text.split('\n').slice(0, -1)
}

interface Seen {
  readonly id: SessionId
  /** Absent: the result itself. */
  readonly seq?: number
  readonly what: string
}

const parse = (line: string): Seen => {
  const [id = '', seq = '', what = ''] = line.split(' ')
  return { id: id as SessionId, what, ...(seq !== 'settled' && { seq: Number(seq) }) }
}

const gaps = (id: SessionId, seqs: readonly number[]): readonly string[] =>
  seqs.every((seq, index) => seq === index + 1) ? [] : [`${id}: its sequence has gaps or repeats`]

/** The watchdog of the killed host is itself on its way out. */
const PATIENCE_MS = 10_000

/** Processes of this home that don't end, with their command lines. */
const left = async (env: Record<string, string>): Promise<readonly string[]> => {
  const mark = `XDG_STATE_HOME=${env['XDG_STATE_HOME']}\0`
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const found = globSync('/proc/[0-9]*/environ').filter((file) => textOf(file).includes(mark))
    if (found.length === 0 || Date.now() > deadline)
      return found.map((file) => `${file} ${textOf(join(file, '../cmdline')).replaceAll('\0', ' ')}`)
    await sleep(20)
  }
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Ended meanwhile, or another user's.
    return ''
  }
}
