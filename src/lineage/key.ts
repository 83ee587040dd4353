/** The user's key that lineage tokens are signed with: one file, made by whoever needs it first. */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SubagentError } from '../contract/errors.ts'

const KEY_BYTES = 32

/** Two processes that ask at once get the same key. */
export function loadKey(stateDir: string): Uint8Array {
  const file = join(stateDir, 'lineage.key')
  try {
    return checked(read(file) ?? create(stateDir, file), file)
  } catch (error) {
    if (SubagentError.is(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw unusable(file, `can't be read or made (${reason}). Make its folder writable, or set XDG_STATE_HOME`)
  }
}

const read = (file: string): Uint8Array | undefined => {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A link appears whole and never replaces another: who comes second takes the first one's key. */
const create = (stateDir: string, file: string): Uint8Array => {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(8).toString('hex')}.tmp`
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file)
}

const checked = (key: Uint8Array, file: string): Uint8Array => {
  if (key.length === KEY_BYTES) return key
  throw unusable(
    file,
    `is damaged: it has ${key.length} bytes instead of ${KEY_BYTES}. Delete it, and end the runs that are open`,
  )
}

const unusable = (file: string, what: string): SubagentError =>
  new SubagentError('INVALID_CONFIG', 'depth', `The lineage key ${file} ${what}.`, { file })
