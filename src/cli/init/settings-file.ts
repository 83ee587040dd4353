/** An editor's settings file: read as it is, and replaced whole, with a backup, or not at all. */
import { randomUUID } from 'node:crypto'
import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { SubagentError } from '../../contract/errors.ts'

export const settingsFault = (file: string, why: string): SubagentError =>
  new SubagentError('INVALID_CONFIG', 'request', `${file} was left as it is: ${why}`, { file })

const reason = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)

/** Undefined where there is no such file. */
export const readSettings = (file: string): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file))
  } catch (error) {
    if (reason(error) === 'ENOENT') return undefined
    const encoding = reason(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA'
    const why = encoding
      ? 'it is no UTF-8 text. Save it as UTF-8.'
      : `it can't be read (${reason(error)}). Make it a file that you may read.`
    throw settingsFault(file, why)
  }
}

/** The file behind symbolic links, also where the last one leads to nothing yet. */
const target = (file: string, links = 0): string => {
  try {
    return realpathSync(file)
  } catch {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (!isLink || links > 40) return file
    return target(resolve(dirname(file), readlinkSync(file)), links + 1)
  }
}

/**
 * Writes the text that was made of `before`, and keeps that beside the file; resolves with where. What somebody wrote
 * in between stays.
 */
export const writeSettings = (
  file: string,
  before: string | undefined,
  text: string,
  now: Date,
): string | undefined => {
  if (readSettings(file) !== before)
    throw settingsFault(file, 'it was changed while you were asked. Run the command again.')
  try {
    mkdirSync(dirname(file), { recursive: true })
    const real = target(file)
    mkdirSync(dirname(real), { recursive: true })
    const stats = statSync(real, { throwIfNoEntry: false })
    const mode = stats === undefined ? undefined : stats.mode & 0o7777
    let backup: string | undefined
    if (before !== undefined) {
      backup = `${file}.subgate-${now.toISOString().replaceAll(/[-:.]/gu, '')}.bak`
      writeFileSync(backup, before, { flag: 'wx', mode: mode ?? 0o600 })
    }
    replace(
      real,
      text,
      stats === undefined ? undefined : { mode: mode ?? 0o600, uid: stats.uid, gid: stats.gid },
    )
    return backup
  } catch (error) {
    throw settingsFault(file, `it can't be written (${reason(error)}). Make it and its folder writable.`)
  }
}

interface Owner {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** Beside the file, so that the rename is one step of the same file system. */
const replace = (file: string, text: string, owner: Owner | undefined): void => {
  const fresh = join(dirname(file), `.${basename(file)}.${randomUUID()}`)
  try {
    const descriptor = openSync(fresh, 'wx', owner === undefined ? 0o644 : 0o600)
    try {
      writeFileSync(descriptor, text)
      if (owner !== undefined) keep(fresh, descriptor, owner)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

const keep = (fresh: string, descriptor: number, { mode, uid, gid }: Owner): void => {
  const own = statSync(fresh)
  if (own.uid !== uid || own.gid !== gid) chownSync(fresh, uid, gid)
  fchmodSync(descriptor, mode)
}
