/** Reads preset files, each time anew: a changed file counts at the next look; what didn't change isn't parsed again. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SubagentError } from '../contract/errors.ts'
import { invalidPreset } from './fault.ts'
import { parsePreset, stemOf } from './parse.ts'
import type { ParsedPreset } from './parse.ts'

/** Instructions are read by a model; a file beyond this is something else. */
const LARGEST = 1024 * 1024

export type ReadPreset = { readonly file: string; readonly name: string } & (
  | { readonly parsed: ParsedPreset }
  | { readonly error: SubagentError }
)

const errno = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'EIO'

export class PresetFiles {
  readonly #known = new Map<string, { readonly text: string; readonly preset: ReadPreset }>()

  /** The presets of one directory in the order of their files; none where it isn't there. */
  async in(directory: string): Promise<readonly ReadPreset[]> {
    const names = await readdir(directory).catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(errno(error))) return []
      throw invalidPreset(directory, {}, `it can't be read (${errno(error)}). Make it a readable directory.`)
    })
    const files = names.filter((name) => name.endsWith('.md')).toSorted()
    const read = await Promise.all(files.map((name) => this.read(join(directory, name))))
    return withoutTwins(read.filter((preset) => preset !== undefined))
  }

  /** Undefined when there is no such file. */
  async read(file: string): Promise<ReadPreset | undefined> {
    let text: string | undefined
    try {
      text = await textOf(file)
    } catch (error) {
      if (!SubagentError.is(error)) throw error
      return { file, name: stemOf(file), error }
    }
    if (text === undefined) return undefined
    const known = this.#known.get(file)
    if (known?.text === text) return known.preset
    const preset = parsed(text, file)
    this.#known.set(file, { text, preset })
    return preset
  }
}

const textOf = async (file: string): Promise<string | undefined> => {
  try {
    const stats = await stat(file)
    if (!stats.isFile()) throw invalidPreset(file, {}, 'it is no file. Remove it, or put a file there.')
    if (stats.size > LARGEST) throw invalidPreset(file, {}, 'it is larger than 1 MiB. Make it shorter.')
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    if (SubagentError.is(error)) throw error
    if (errno(error) === 'ENOENT') return undefined
    const why =
      error instanceof TypeError
        ? "it isn't UTF-8. Save it as such"
        : `it can't be read (${errno(error)}). Make it readable`
    throw invalidPreset(file, {}, `${why}, or remove it.`)
  }
}

const parsed = (text: string, file: string): ReadPreset => {
  try {
    const found = parsePreset(text, file)
    return { file, name: found.preset.name, parsed: found }
  } catch (error) {
    if (!SubagentError.is(error)) throw error
    return { file, name: claimedName(text) ?? stemOf(file), error }
  }
}

/** The name that a faulty file means to have, so that it isn't passed over for a farther one. */
const claimedName = (text: string): string | undefined =>
  /^name:[ \t]*(["']?)([^"'\r\n]+?)\1[ \t]*$/mu.exec(text)?.[2]?.trim()

/** Of two files of one name in one directory neither is nearer: both are refused. */
const withoutTwins = (presets: readonly ReadPreset[]): readonly ReadPreset[] =>
  presets.map((preset) => {
    const twin = presets.find((other) => other !== preset && other.name === preset.name)
    if (twin === undefined || 'error' in preset) return preset
    const { file, name } = preset
    const message = `"name" is "${name}" in ${twin.file} too. Rename one of them.`
    return { file, name, error: invalidPreset(file, { key: 'name' }, message) }
  })
