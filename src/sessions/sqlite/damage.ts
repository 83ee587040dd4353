/** A damaged database: noticed, moved aside whole when nobody has it open, and told of. Nothing is overwritten. */
import {
  existsSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { failedFault } from './faults.ts'

const marker = (file: string): string => `${file}-damaged`

/** The next who opens it looks more closely. */
export const markDamaged = (file: string): void => {
  try {
    writeFileSync(marker(file), '', { mode: 0o600 })
  } catch {
    // Where nothing can be written, who opens it next finds the damage as this process did.
  }
}

/** Whether a file that was marked really is damaged; it costs a look at every page. */
export const isDamaged = (db: DatabaseSync, file: string): boolean => {
  if (!existsSync(marker(file))) return false
  const damaged = db.prepare('pragma quick_check(1)').get()?.['quick_check'] !== 'ok'
  if (!damaged) rmSync(marker(file), { force: true })
  return damaged
}

/** Other processes that have the file open, as far as the system shows them. */
const holders = (named: string): readonly number[] => {
  // The system shows real paths.
  const file = realPath(named)
  const pids = list('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
  return pids.filter((pid) => {
    const folder = `/proc/${pid}/fd`
    return list(folder).some((fd) => target(`${folder}/${fd}`) === file)
  })
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const list = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const target = (link: string): string | undefined => {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/** Moves the file aside with what belongs to it; returns where it is now. */
export const moveAside = (file: string, now: number, cause: unknown): string => {
  const pids = holders(file)
  if (pids.length > 0) {
    throw failedFault(
      file,
      `The sessions' database ${file} is damaged, and process ${pids.join(', ')} has it open. End that process; the next start moves the file aside and begins a new one.`,
      cause,
    )
  }
  const aside = `${file}.corrupt-${new Date(now).toISOString().replaceAll(/[:.]/gu, '-')}`
  // The database last: as long as it is there, the next who opens it does this again.
  for (const part of ['-wal', '-shm', '']) {
    if (existsSync(file + part)) renameSync(file + part, aside + part)
  }
  rmSync(marker(file), { force: true })
  return aside
}
