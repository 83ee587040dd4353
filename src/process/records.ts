/** The files that tell the next gateway which processes this one started. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../contract/json.ts'
import type { ProcessRecord } from '../contract/process-record.ts'
import type { ProcessIdentity } from './process-table.ts'

const folder = (stateDir: string): string => join(stateDir, 'processes')
const nameOf = ({ pid, startTime }: ProcessIdentity): string => `${pid}-${startTime}`

/**
 * `guest` names a further session of a process that serves several: it has a file of its own. Throws the system's
 * error when the folder can't be written.
 */
export function writeRecord(stateDir: string, record: ProcessRecord, guest?: string): void {
  const file = join(folder(stateDir), `${nameOf(record)}${guest === undefined ? '' : `-${guest}`}.json`)
  const draft = `${file}.${process.pid}.tmp`
  const write = (): void => writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(folder(stateDir), { recursive: true, mode: 0o700 })
    write()
  }
  renameSync(draft, file)
}

/** Without a guest: all that is recorded of the process. */
export function removeRecord(stateDir: string, identity: ProcessIdentity, guest?: string): void {
  const name = nameOf(identity)
  const files =
    guest === undefined
      ? namesIn(folder(stateDir)).filter((file) => file === `${name}.json` || file.startsWith(`${name}-`))
      : [`${name}-${guest}.json`]
  for (const file of files) rmSync(join(folder(stateDir), file), { force: true })
}

/** Files that are no record are passed over. */
export function listRecords(stateDir: string): readonly ProcessRecord[] {
  return namesIn(folder(stateDir)).flatMap((name) => {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folder(stateDir), name), 'utf8'))
      return isProcessRecord(value) ? [value] : []
    } catch {
      // Removed meanwhile by its owner, or damaged.
      return []
    }
  })
}

const namesIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

const isProcessRecord = (value: unknown): value is ProcessRecord =>
  isRecord(value) &&
  isIdentity(value) &&
  value['pid'] !== 1 &&
  [value['bootId'], value['marker'], value['command'], value['sessionId'], value['rootSessionId']].every(
    (text) => typeof text === 'string' && text !== '',
  ) &&
  isCount(value['depth']) &&
  (value['maxDepth'] === undefined || isCount(value['maxDepth'])) &&
  isRecord(value['gateway']) &&
  isIdentity(value['gateway']) &&
  typeof value['gateway']['id'] === 'string'

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
/** Never 0 or negative: a signal to those would reach far more than one process. */
const isIdentity = (value: Record<string, unknown>): boolean =>
  isCount(value['pid']) && value['pid'] > 0 && isCount(value['startTime'])
