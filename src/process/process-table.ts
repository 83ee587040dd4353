/** Reads the operating system's table of processes: `/proc` on Linux, `ps` elsewhere. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'

/** A pid alone names nothing for long: with its start time it is an identity. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startTime: number
}

export interface ProcessRow extends ProcessIdentity {
  readonly parent: number
  readonly group: number
  /** It has ended and only waits to be collected. */
  readonly zombie: boolean
}

export const onLinux: boolean = process.platform === 'linux'

export function processTable(): readonly ProcessRow[] {
  if (!onLinux) return ps(['-A'])
  const rows: ProcessRow[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const row = Number.isInteger(pid) ? processRow(pid) : undefined
    if (row !== undefined) rows.push(row)
  }
  return rows
}

export function processRow(pid: number): ProcessRow | undefined {
  if (!onLinux) return ps(['-p', String(pid)])[0]
  const stat = read(`/proc/${pid}/stat`)
  return stat === undefined ? undefined : parseStat(stat)
}

/** True while exactly this process runs: a later one with the same pid is another. */
export function isRunning(identity: ProcessIdentity): boolean {
  const row = processRow(identity.pid)
  return row !== undefined && row.startTime === identity.startTime && !row.zombie
}

/** The environment that a process was started with; undefined where it may not or can't be read. */
export function environmentOf(pid: number): string | undefined {
  return onLinux ? read(`/proc/${pid}/environ`) : undefined
}

/**
 * This boot and, on Linux, this namespace of pids, as `boot/namespace`: a pid means something only within both.
 * Elsewhere start times are dates, which no second boot repeats.
 */
export function bootId(): string {
  if (!onLinux) return 'any'
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown'
  return `${boot}/${pidNamespace()}`
}

/** The command's name is in brackets and may hold brackets and spaces itself. */
export function parseStat(stat: string): ProcessRow | undefined {
  const pid = Number.parseInt(stat, 10)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [parent, group, startTime] = [Number(fields[1]), Number(fields[2]), Number(fields[19])]
  if (![pid, parent, group, startTime].every(Number.isSafeInteger)) return undefined
  return { pid, parent, group, startTime, zombie: fields[0] === 'Z' || fields[0] === 'X' }
}

export function parsePs(line: string): ProcessRow | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
  if (match === null) return undefined
  const startTime = Date.parse(match[5] ?? '') / 1000
  if (!Number.isSafeInteger(startTime)) return undefined
  return {
    pid: Number(match[1]),
    parent: Number(match[2]),
    group: Number(match[3]),
    startTime,
    zombie: match[4]?.startsWith('Z') ?? false,
  }
}

const ps = (which: readonly string[]): readonly ProcessRow[] => {
  try {
    const out = execFileSync('ps', [...which, '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return out.split('\n').flatMap((line) => parsePs(line) ?? [])
  } catch {
    // `ps` is missing, or none of the asked pids exists.
    return []
  }
}

const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return 'unknown'
  }
}

const scratch = Buffer.allocUnsafe(32 * 1024)

/** Files of `/proc` have no size to ask for; one shared buffer makes a scan of hundreds cheap. */
const read = (path: string): string | undefined => {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    const length = readSync(fd, scratch, 0, scratch.length, null)
    return length < scratch.length ? scratch.toString('latin1', 0, length) : readFileSync(path, 'latin1')
  } catch {
    // The process ended in between, or belongs to somebody else.
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
