/** A session's large outputs: cut for the model, whole in a folder that goes with the session. */
import { Buffer } from 'node:buffer'
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../process/confine.ts'
import { cutMiddle } from './cut-middle.ts'
import type { LargeOutputs } from './tools/tool.ts'

export interface OutputLimits {
  /** What fits is given whole. Bytes, as all of these. */
  readonly fits: number
  readonly head: number
  readonly tail: number
  /** All outputs of one session together; what would go beyond is cut and not kept. */
  readonly session: number
}

export const OUTPUT_LIMITS: OutputLimits = {
  fits: 32 * 1024,
  head: 12 * 1024,
  tail: 12 * 1024,
  session: 256 * 1024 * 1024,
}

const HANDLE = /^output-([1-9]\d{0,8})$/u

export const isOutputHandle = (name: string): boolean => HANDLE.test(name)

/** Of one user, below the folder for state: each session's outputs lie in a folder of their own. */
export const outputsDir = (stateDir: string): string => join(stateDir, 'outputs')

/** Takes away what sessions that are gone have left. */
export const removeOutputs = async (folder: string, sessions: readonly string[]): Promise<void> => {
  for (const id of sessions) await rm(join(folder, id), { recursive: true, force: true })
}

export interface OutputsLife {
  /** The session outlives this process, and so does its folder. */
  readonly lasts?: boolean
  /** An earlier process may have made it. */
  readonly maybeThere?: boolean
}

export class SessionOutputs implements LargeOutputs, AsyncDisposable {
  readonly #folder: string
  readonly #limits: OutputLimits
  readonly #lasts: boolean
  #prepared: Promise<void> | undefined
  #last = 0
  #bytes = 0
  #disposed = false
  #maybeThere: boolean
  readonly #writing = new Set<Promise<unknown>>()

  /** The folder belongs to the session alone; it is made with the first large output. */
  constructor(
    folder: string,
    limits: OutputLimits = OUTPUT_LIMITS,
    { lasts = false, maybeThere = true }: OutputsLife = {},
  ) {
    this.#folder = folder
    this.#limits = limits
    this.#lasts = lasts
    this.#maybeThere = maybeThere
  }

  /** What this session's outputs take on the disk. */
  get bytes(): number {
    return this.#bytes
  }

  async fit(text: string): Promise<string> {
    const bytes = Buffer.byteLength(text)
    if (bytes <= this.#limits.fits) return text
    const kept = this.#keep(text, bytes)
    this.#writing.add(kept)
    const where = await kept.finally(() => this.#writing.delete(kept))
    return cutMiddle(text, this.#limits, where)
  }

  async find(handle: string): Promise<string | undefined> {
    if (!isOutputHandle(handle)) return undefined
    return readFile(join(this.#folder, handle), 'utf8').catch(() => undefined)
  }

  /** Removes the folder with all that is in it, unless the session lasts. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    await Promise.all(this.#writing)
    // Most sessions have none, and looking for it would take longer than the rest of their end.
    if (this.#maybeThere && !this.#lasts) await rm(this.#folder, { recursive: true, force: true })
    this.#bytes = 0
  }

  /** The sentence that tells where the whole lies, or why it lies nowhere. */
  async #keep(text: string, bytes: number): Promise<string> {
    if (this.#disposed) return 'The rest is not kept: the session has ended.'
    let counted = 0
    try {
      await (this.#prepared ??= this.#prepare())
      if (this.#bytes + bytes > this.#limits.session)
        return `The rest is not kept: the outputs of this session may take ${this.#limits.session} bytes.`
      this.#bytes += counted = bytes
      const handle = `output-${(this.#last += 1)}`
      const file = join(this.#folder, handle)
      await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch(async (error: unknown) => {
        if (errnoOf(error) !== 'EEXIST') await rm(file, { force: true })
        throw error
      })
      return `The whole output is ${handle}: give that as the path to read it.`
    } catch (error) {
      this.#bytes -= counted
      return `The rest is not kept: it could not be stored (${errnoOf(error)}).`
    }
  }

  /** Counts on from what an earlier process of the same session left. */
  async #prepare(): Promise<void> {
    this.#maybeThere = true
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      for (const name of await readdir(this.#folder)) {
        const number = HANDLE.exec(name)?.[1]
        if (number === undefined) continue
        this.#last = Math.max(this.#last, Number(number))
        this.#bytes += (await stat(join(this.#folder, name))).size
      }
    } catch (error) {
      this.#prepared = undefined
      this.#bytes = 0
      throw error
    }
  }
}
