/** Which projects the user has trusted, by path and content, in one file that only the user can read. */
import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { SubagentError } from '../contract/errors.ts'
import { isRecord } from '../contract/json.ts'
import { SHARED_PRESETS } from '../contract/preset-folders.ts'
import { invalidConfig } from './parse.ts'

export interface TrustEntry {
  readonly path: string
  readonly sha256: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface TrustStore {
  readonly file: string
  /**
   * `content` is the text of the project's `config.json` as it was read, so that what was judged is what counts;
   * undefined where the project has none.
   */
  isTrusted(projectFile: string, content: string | undefined): boolean
  trust(projectFile: string, content: string | undefined): TrustEntry
  /** False when it wasn't trusted. */
  untrust(projectFile: string): boolean
  list(): readonly TrustEntry[]
}

const without = (entries: readonly TrustEntry[], path: string): readonly TrustEntry[] =>
  entries.filter((entry) => entry.path !== path)

/** `dir` is the data directory of `paths.ts`. */
export const openTrustStore = (dir: string, now: () => number = Date.now): TrustStore => {
  const file = join(dir, 'trust.json')
  const change = (edit: (entries: readonly TrustEntry[]) => readonly TrustEntry[]): boolean => {
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      return locked(`${file}.lock`, () => {
        const before = readEntries(file)
        const after = edit(before)
        writeEntries(file, after)
        return after.length < before.length
      })
    } catch (error) {
      if (SubagentError.is(error)) throw error
      const { code = String(error) } = error as NodeJS.ErrnoException
      throw invalidConfig(file, `it can't be written (${code}). Make its directory writable and try again.`)
    }
  }
  return {
    file,
    isTrusted: (projectFile, content) => {
      const path = realFile(projectFile)
      const entry = readEntries(file).find((candidate) => candidate.path === path)
      return entry !== undefined && entry.sha256 === hashProject(dirname(path), content)
    },
    trust: (projectFile, content) => {
      const path = realFile(projectFile)
      const entry = { path, sha256: hashProject(dirname(path), content), at: now() }
      change((entries) => [...without(entries, path), entry])
      return entry
    },
    untrust: (projectFile) => {
      const path = realFile(projectFile)
      return change((entries) => without(entries, path))
    },
    list: () => readEntries(file),
  }
}

/**
 * One hash over `config.json` and `agents/*.md` of a `.subgate` directory and the presets beside it: names, lengths
 * and contents. Programs and modules that they name elsewhere are not part of it.
 */
export const hashProject = (dir: string, content?: string): string => {
  const hash = createHash('sha256')
  const add = (name: string, bytes: Buffer): void => {
    hash.update(`${JSON.stringify(name)} ${bytes.length}\n`).update(bytes)
  }
  const config = content ?? configIn(dir)
  if (config !== undefined) add('config.json', Buffer.from(config))
  const folders = { agents: join(dir, 'agents'), [SHARED_PRESETS]: join(dirname(dir), SHARED_PRESETS) }
  for (const [prefix, folder] of Object.entries(folders))
    for (const name of presetFiles(folder)) add(`${prefix}/${name}`, bytesOf(join(folder, name)))
  return hash.digest('hex')
}

const configIn = (dir: string): string | undefined => {
  try {
    return readFileSync(join(dir, 'config.json'), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** What can't be read is nobody's preset; it counts as its error, so that it is asked about once it can. */
const bytesOf = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (error) {
    return Buffer.from(`unreadable: ${String((error as NodeJS.ErrnoException).code)}`)
  }
}

const presetFiles = (dir: string): readonly string[] => {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.md'))
      .toSorted()
  } catch {
    return []
  }
}

/** The nearest directory that exists is resolved: a project without the file, or a removed one, has a place too. */
const realFile = (file: string): string => {
  const directory = dirname(resolve(file))
  if (directory === resolve(file)) return directory
  try {
    return join(realpathSync(directory), basename(file))
  } catch {
    return join(realFile(directory), basename(file))
  }
}

const isEntry = (value: unknown): value is TrustEntry =>
  isRecord(value) &&
  typeof value['path'] === 'string' &&
  typeof value['sha256'] === 'string' &&
  typeof value['at'] === 'number'

const readEntries = (file: string): readonly TrustEntry[] => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code = 'EIO' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw invalidConfig(file, `it can't be read (${code}). Give yourself access to it, or remove it.`)
  }
  try {
    const store: unknown = JSON.parse(text)
    if (isRecord(store) && store['version'] === 1 && Array.isArray(store['entries'])) {
      const entries: readonly unknown[] = store['entries']
      if (entries.every(isEntry)) return entries
    }
  } catch {
    // Said below, as for any other shape.
  }
  throw invalidConfig(file, 'this is no list of trusted projects. Remove it and trust your projects again.')
}

/** A unique file, synced, then renamed over the old one: a reader sees the old list or the new one. */
const writeEntries = (file: string, entries: readonly TrustEntry[]): void => {
  const temporary = `${file}.${process.pid}.${randomUUID()}.tmp`
  try {
    const descriptor = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(descriptor, `${JSON.stringify({ version: 1, entries }, null, 2)}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** An empty database serves as the lock: the kernel lets go of it when its owner dies. */
const locked = <T>(file: string, work: () => T): T => {
  // Loaded here: reading the store is on the way of every start, changing it isn't.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const lock = new DatabaseSync(file, { timeout: 10_000 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return work()
  } finally {
    lock.close()
  }
}
