/** Presets from files and from code: the nearest location wins, and an untrusted project only chooses and narrows. */
import { isAbsolute, resolve } from 'node:path'
import { SubagentError } from '../contract/errors.ts'
import { silentLogger } from '../contract/logger.ts'
import type { Logger } from '../contract/logger.ts'
import { present } from '../contract/present.ts'
import { printable } from '../contract/printable.ts'
import type { Preset, PresetSource } from '../contract/request.ts'
import { PresetFiles } from './files.ts'
import type { ReadPreset } from './files.ts'
import { locationsFor, projectOf } from './locations.ts'
import type { UserPlaces } from './locations.ts'
import { stemOf } from './parse.ts'
import { ruled } from './project-rule.ts'
import type { WithheldPresetKey } from './project-rule.ts'

export interface PresetSourceOptions extends UserPlaces {
  /** Whether all that a project's presets say counts; asked only where it makes a difference. */
  trusted(projectDir: string): boolean
  readonly code?: readonly Preset[]
  readonly log?: Logger
}

export interface ListedPreset {
  readonly name: string
  /** `file`: named by its path. */
  readonly level: 'project' | 'user' | 'code' | 'file'
  readonly file?: string
  readonly description?: string
  /** As it counts; absent where the file is in error. */
  readonly preset?: Preset
  /** Keys of an untrusted project's preset that were left out. */
  readonly withheld: readonly WithheldPresetKey[]
  readonly error?: SubagentError
  /** A nearer preset has the name. */
  readonly overridden: boolean
}

export interface PresetCatalog extends PresetSource {
  /** All, the nearest first. */
  list(cwd: string): Promise<readonly ListedPreset[]>
  /** As `find`, with what was left out; the error is part of the answer. */
  locate(name: string, cwd: string): Promise<ListedPreset | undefined>
  /** The projects whose presets are seen from here. */
  projects(cwd: string): Promise<readonly string[]>
}

/** A file is named by a path: it holds a slash or ends with `.md`. */
const isPath = (name: string): boolean => name.includes('/') || isAbsolute(name) || name.endsWith('.md')

export const withheldPresetLine = (file: string | undefined, { key, reason }: WithheldPresetKey): string =>
  printable(
    `${key} in ${file ?? 'the preset'} doesn't count: ${reason}. Trust the project with: subgate trust`,
  )

export const presetSource = (options: PresetSourceOptions): PresetCatalog => {
  const { code = [], log = silentLogger } = options
  const files = new PresetFiles()

  const listed = (
    read: ReadPreset,
    level: ListedPreset['level'],
    project: string | undefined,
  ): ListedPreset => {
    const { file, name } = read
    const base = { name, level, file, withheld: [], overridden: false }
    if ('error' in read) return { ...base, error: read.error }
    const { preset, description } = read.parsed
    const judged = ruled(preset)
    const counts = project === undefined || judged.withheld.length === 0 || options.trusted(project)
    return { ...base, ...(counts ? { preset } : judged), ...present({ description }) }
  }

  const groups = async function* (cwd: string): AsyncGenerator<readonly ListedPreset[]> {
    for (const { level, directory, project } of await locationsFor(cwd, options)) {
      yield (await files.in(directory)).map((read) => listed(read, level, project))
    }
    yield code.map((preset) => ({
      name: preset.name,
      level: 'code',
      preset,
      withheld: [],
      overridden: false,
    }))
  }

  const named = async (path: string, cwd: string): Promise<ListedPreset> => {
    const file = resolve(cwd, path)
    const read = await files.read(file)
    if (read !== undefined) return listed(read, 'file', await projectOf(file, options))
    const known = await names(cwd)
    throw new SubagentError(
      'PRESET_NOT_FOUND',
      'resolve',
      printable(
        `There is no preset file ${file}. Correct the path, or name a preset: ${known.join(', ') || 'none is known here'}.`,
      ),
      { preset: path, known },
    )
  }

  const locate = async (name: string, cwd: string): Promise<ListedPreset | undefined> => {
    if (isPath(name)) return named(name, cwd)
    for await (const group of groups(cwd)) {
      const found = group.find((entry) => entry.name === name) ?? group.find((entry) => claims(entry, name))
      if (found !== undefined) return found
    }
    return undefined
  }

  const list = async (cwd: string): Promise<readonly ListedPreset[]> => {
    const nearer = new Set<string>()
    const all: ListedPreset[] = []
    for await (const group of groups(cwd)) {
      all.push(...group.map((entry) => ({ ...entry, overridden: nearer.has(entry.name) })))
      for (const { name } of group) nearer.add(name)
    }
    return all
  }

  const names = async (cwd: string): Promise<readonly string[]> => {
    const usable = (await list(cwd)).filter(({ preset, overridden }) => preset !== undefined && !overridden)
    return usable.map(({ name }) => name)
  }

  return {
    list,
    locate,
    names,
    find: async (name, cwd) => {
      const found = await locate(name, cwd)
      if (found?.error !== undefined) throw found.error
      for (const key of found?.withheld ?? []) log.warn({ ...key }, withheldPresetLine(found?.file, key))
      return found?.preset
    },
    projects: async (cwd) => {
      const projects = (await locationsFor(cwd, options)).map(({ project }) => project)
      return [...new Set(projects.filter((project) => project !== undefined))]
    },
  }
}

/** A faulty file is meant by its own name too: it must not be passed over in silence. */
const claims = ({ file, error }: ListedPreset, wanted: string): boolean =>
  error !== undefined && file !== undefined && stemOf(file) === wanted
