/** Where presets lie for a working directory, the nearest first. */
import { realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { OWN_PRESETS, PRESET_FOLDERS, SHARED_PRESETS } from '../contract/preset-folders.ts'

export interface Location {
  readonly level: 'project' | 'user'
  readonly directory: string
  /** The project's own directory, which is trusted or not. */
  readonly project?: string
}

export interface UserPlaces {
  readonly home: string
  /** Subgate's own configuration directory. */
  readonly configDir: string
}

const real = (path: string): Promise<string> => realpath(path).catch(() => resolve(path))

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

const userDirectories = ({ home, configDir }: UserPlaces): readonly string[] => [
  join(configDir, 'agents'),
  join(home, SHARED_PRESETS),
]

/** The nearest folder of this name from `cwd` upwards, below the home directory; the user's own is no project's. */
const nearest = async (cwd: string, folder: string, places: UserPlaces): Promise<Location | undefined> => {
  const stops = new Set([resolve(places.home), await real(places.home)])
  const users = new Set(await Promise.all(userDirectories(places).map(real)))
  for (let project = resolve(cwd); !stops.has(project); project = dirname(project)) {
    const directory = join(project, folder)
    if ((await isDirectory(directory)) && !users.has(await real(directory)))
      return { level: 'project', directory, project }
    if (project === dirname(project)) return undefined
  }
  return undefined
}

export const locationsFor = async (cwd: string, places: UserPlaces): Promise<readonly Location[]> => {
  const projects = [await nearest(cwd, OWN_PRESETS, places), await nearest(cwd, SHARED_PRESETS, places)]
  const users = userDirectories(places).map((directory): Location => ({ level: 'user', directory }))
  return [...projects.filter((place) => place !== undefined), ...users]
}

/** The project whose preset this file is, if it lies in the preset folder of one. */
export const projectOf = async (file: string, places: UserPlaces): Promise<string | undefined> => {
  const path = await real(file)
  const directory = dirname(path)
  const users = await Promise.all(userDirectories(places).map(real))
  const isProject =
    PRESET_FOLDERS.some((folder) => directory.endsWith(`/${folder}`)) && !users.includes(directory)
  return isProject ? dirname(dirname(directory)) : undefined
}
