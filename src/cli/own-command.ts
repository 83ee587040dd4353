/** The absolute words that start this program again, from wherever an editor does it. */
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

export interface Started {
  readonly execPath: string
  /** `process.argv[1]`. */
  readonly script: string
  readonly path: string
}

/** Folders of one shell, one project or one run. */
const PASSING = /[/\\](?:node_modules[/\\]\.bin|_npx|fnm_multishells)(?:[/\\]|$)/u

const realOf = (file: string): string | undefined => {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

const lastingFolders = (path: string): readonly string[] => [
  ...new Set(path.split(delimiter).filter((folder) => isAbsolute(folder) && !PASSING.test(folder))),
]

/** For an editor that was started without a shell: what of this PATH will still be there. */
export const lastingPath = (path: string): string => lastingFolders(path).join(delimiter)

/**
 * Package managers keep each version of Node in a folder of its own, which goes with the next one: where the PATH has a
 * lasting name for the same program, that is taken.
 */
const lastingNode = ({ execPath, path }: Started): string =>
  lastingFolders(path)
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file) && realOf(file) === realOf(execPath)) ?? execPath

export const ownCommand = (started: Started): readonly [string, string] => [
  lastingNode(started),
  resolve(started.script),
]

/** Whether what starts it may be gone tomorrow, as with a copy of npx. */
export const isPassing = (words: readonly string[]): boolean =>
  words.some((word) => /[/\\]_npx[/\\]/u.test(word))

export const thisProgram = (env: Readonly<Record<string, string | undefined>>): Started => ({
  execPath: process.execPath,
  script: process.argv[1] ?? '',
  path: env['PATH'] ?? '',
})
