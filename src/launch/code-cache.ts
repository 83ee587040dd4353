/**
 * What V8 has compiled at earlier starts: to compile the functions that a start uses takes 30 ms. Node's own compile
 * cache is made before a file runs, and so holds few of them; this one is made when the program has ended well.
 */
import { fstatSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const DAY_MS = 24 * 60 * 60 * 1000
/** As often it learns what else is used by now. */
const LEARNS_AFTER_MS = DAY_MS
/** What other versions have left. */
const LEFT_AFTER_MS = 30 * DAY_MS

export interface KeptCode {
  readonly code: Buffer
  /** It may well lack functions that are used by now. */
  readonly old: boolean
}

/** `now` is in milliseconds since 1970. */
export class CodeCache {
  readonly #folder: string
  readonly #now: () => number

  /** One folder for what may differ in its code: a build, a version of Node, a command. */
  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder
    this.#now = now
  }

  /** Undefined where there is none, or not one that this user alone may write: it is run as it is. */
  read(name: string): KeptCode | undefined {
    let file: number
    try {
      file = openSync(join(this.#folder, name), 'r')
    } catch {
      return undefined
    }
    try {
      const { uid, mode, mtimeMs } = fstatSync(file)
      if (uid !== (process.getuid?.() ?? uid) || (mode & 0o022) !== 0) return undefined
      return { code: readFileSync(file), old: this.#now() - mtimeMs > LEARNS_AFTER_MS }
    } catch {
      return undefined
    } finally {
      closeSync(file)
    }
  }

  /** Whole or not at all, also when the machine stops in between; where it can't be kept, the next start compiles again. */
  write(codes: ReadonlyMap<string, Buffer>): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      for (const [name, code] of codes) {
        const draft = join(this.#folder, `${name}.${process.pid}`)
        writeFileSync(draft, code, { mode: 0o600, flush: true })
        renameSync(draft, join(this.#folder, name))
      }
      this.#tidy()
    } catch {
      // A read-only or full disk.
    }
  }

  #tidy(): void {
    const own = dirname(this.#folder)
    const all = dirname(own)
    for (const name of readdirSync(all)) {
      const folder = join(all, name)
      if (folder !== own && this.#now() - statSync(folder).mtimeMs > LEFT_AFTER_MS)
        rmSync(folder, { recursive: true, force: true })
    }
  }
}
