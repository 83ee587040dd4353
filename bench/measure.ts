/** Runs one command line and reports times, output and peak memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

export interface Place {
  readonly cwd: string
  /** A home of its own, so that no contestant sees the user's configuration. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Sample {
  /** Milliseconds from the start until the agent's text stood on stdout, and until the exit. */
  readonly firstTextMs: number
  readonly exitMs: number
  readonly bytes: number
  /** Of the started process alone, in KiB; 0 when it wasn't asked for. */
  readonly peakKiB: number
}

const HWM = /VmHWM:\s+(\d+) kB/v

/** The kernel's own high-water mark, which only grows; 0 once the process has gone. */
const peakOf = (pid: number): number => {
  try {
    return Number(HWM.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const reasonIn = (errors: string): string => {
  const lines = errors.split('\n').filter((line) => line.trim() !== '')
  return lines.find((line) => line.includes('rror')) ?? lines.at(-1) ?? 'no text'
}

/** Polls memory only when asked, in runs whose times aren't used. Throws if the text never came. */
export const sample = async (
  argv: readonly string[],
  text: string,
  { cwd, env }: Place,
  memory = false,
): Promise<Sample> => {
  const [program = '', ...args] = argv
  const startedAt = performance.now()
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let firstTextMs = 0
  let bytes = 0
  let tail = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    bytes += piece.length
    tail = (tail + piece).slice(-piece.length - text.length)
    if (firstTextMs === 0 && tail.includes(text)) firstTextMs = performance.now() - startedAt
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    errors = (errors + piece).slice(-2000)
  })
  let peakKiB = 0
  const poll = (): void => {
    peakKiB = Math.max(peakKiB, peakOf(child.pid ?? 0))
  }
  const timer = memory ? setInterval(poll, 2) : undefined
  let exitMs = 0
  child.once('exit', () => {
    exitMs = performance.now() - startedAt
  })
  try {
    const [code] = await once(child, 'close')
    if (firstTextMs === 0 || code !== 0) throw new Error(`exit ${code}: ${reasonIn(errors)}`)
    return { firstTextMs, exitMs, bytes, peakKiB }
  } finally {
    clearInterval(timer)
  }
}

/** Wall-clock time until all of them have exited. */
export const together = async (
  count: number,
  argv: readonly string[],
  text: string,
  place: Place,
): Promise<number> => {
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: count }, () => sample(argv, text, place)))
  return performance.now() - startedAt
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
