/** What can go wrong with a database, told apart and said in words: what happened, to which file, and what to do. */
import { dirname } from 'node:path'
import { isRecord } from '../../contract/json.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isBusy, sqliteCode } from './patience.ts'

/** `passing` may be over soon; `final` isn't; `refused` is about what was written, not about where. */
export type Outlook = 'passing' | 'final' | 'refused'

type Trouble = 'busy' | 'full' | 'io' | 'unopened' | 'readonly' | 'damaged' | 'other'

const BY_CODE: Readonly<Record<number, Trouble>> = {
  8: 'readonly',
  10: 'io',
  11: 'damaged',
  13: 'full',
  14: 'unopened',
  26: 'damaged',
}

const BY_ERRNO: Readonly<Record<string, Trouble>> = {
  EACCES: 'readonly',
  EPERM: 'readonly',
  EROFS: 'readonly',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EIO: 'io',
}

const troubleOf = (error: unknown): Trouble => {
  if (isBusy(error)) return 'busy'
  const errno = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : ''
  const bySystem = isRecord(error) && 'syscall' in error ? 'unopened' : 'other'
  return BY_CODE[sqliteCode(error) ?? 0] ?? BY_ERRNO[errno] ?? bySystem
}

export const isDamage = (error: unknown): boolean => troubleOf(error) === 'damaged'

export const isReadOnly = (error: unknown): boolean => troubleOf(error) === 'readonly'

export const outlookOf = (error: unknown): Outlook => {
  switch (troubleOf(error)) {
    case 'busy':
    case 'full':
    case 'io':
    case 'unopened':
      return 'passing'
    case 'readonly':
    case 'damaged':
      return 'final'
    case 'other':
      return 'refused'
  }
}

const WORDS: Readonly<Record<Exclude<Trouble, 'readonly'>, (file: string) => string>> = {
  busy: (file) =>
    `The sessions' database ${file} is locked by another program. End what keeps it open for writing, and try again.`,
  full: (file) =>
    `The disk of the sessions' database ${file} is full. Free some space there, or set XDG_STATE_HOME to another disk.`,
  io: (file) =>
    `The disk of the sessions' database ${file} could not be read or written. Check the disk, or set XDG_STATE_HOME to another one.`,
  unopened: (file) =>
    `The sessions' database ${file} could not be opened. Check that ${dirname(file)} is a folder of yours, or set XDG_STATE_HOME.`,
  damaged: (file) =>
    `The sessions' database ${file} is damaged. The next start moves it aside as ${file}.corrupt-TIME and begins a new one.`,
  other: (file) => `The sessions' database ${file} refused what was written or asked.`,
}

const nameOf = (error: unknown): string | undefined => {
  if (!isRecord(error)) return undefined
  const { errcode, code } = error
  return typeof errcode === 'number' ? `SQLITE_${errcode}` : typeof code === 'string' ? code : undefined
}

export const readOnlyFault = (file: string, cause?: unknown): SubagentError =>
  new SubagentError(
    'STORE_READONLY',
    'session',
    `The sessions' database ${file} can't be written from here. Start from a process that may write it, or set XDG_STATE_HOME to a folder that can be written.`,
    { file },
    { cause },
  )

export const failedFault = (file: string, message: string, cause?: unknown): SubagentError => {
  const errno = nameOf(cause)
  return new SubagentError(
    'STORE_FAILED',
    'session',
    message,
    { file, ...(errno !== undefined && { errno }) },
    { cause },
  )
}

/** As a caller hears of it. What already is an error of ours stays as it is. */
export const storeFault = (error: unknown, file: string): Error => {
  if (SubagentError.is(error)) return error
  const trouble = troubleOf(error)
  if (trouble === 'readonly') return readOnlyFault(file, error)
  if (trouble === 'other' && sqliteCode(error) === undefined && error instanceof Error) return error
  const reason = trouble === 'other' && error instanceof Error ? ` It said: ${error.message}.` : ''
  return failedFault(file, WORDS[trouble](file) + reason, error)
}

export const lockedFault = (file: string): SubagentError => failedFault(file, WORDS.busy(file))

export const closedStore = (): SubagentError =>
  new SubagentError('CLOSED', 'session', 'The store of sessions is closed. Open another one.', {})
