/** The rules of `.gitignore` files: which paths below a directory are left out. Pure but for reading them. */
import { constants } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import picomatch from 'picomatch'
import { openRegular } from '../../process/confine.ts'

interface Rule {
  readonly leavesOut: boolean
  readonly directoriesOnly: boolean
  matches(path: string): boolean
}

/** The rules of one file, which hold below its directory. */
export interface IgnoreLevel {
  readonly directory: string
  readonly rules: readonly Rule[]
}

const GLOB = { dot: true, nobrace: true, noextglob: true, nonegate: true } as const

const ruleOf = (line: string): Rule | undefined => {
  const trimmed = line.replace(/(?<!\\)\s+$/u, '')
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const leavesOut = !trimmed.startsWith('!')
  const pattern = leavesOut ? trimmed : trimmed.slice(1)
  const directoriesOnly = pattern.endsWith('/')
  const body = directoriesOnly ? pattern.slice(0, -1) : pattern
  // A slash anywhere but at the end ties the pattern to the file's own directory.
  const glob = body.includes('/') ? body.replace(/^\//u, '') : `**/${body}`
  return glob === '' ? undefined : { leavesOut, directoriesOnly, matches: picomatch(glob, GLOB) }
}

export const parseIgnoreRules = (directory: string, text: string): IgnoreLevel => ({
  directory,
  rules: text.split(/\r?\n/u).flatMap((line) => ruleOf(line) ?? []),
})

/** The last rule of the nearest file that says anything decides. Levels go from the outermost to the nearest. */
export const isIgnored = (path: string, isDirectory: boolean, levels: readonly IgnoreLevel[]): boolean => {
  for (const { directory, rules } of levels.toReversed()) {
    const below = relative(directory, path)
    const rule = rules.findLast((one) => (isDirectory || !one.directoriesOnly) && one.matches(below))
    if (rule !== undefined) return rule.leavesOut
  }
  return false
}

/** A file that can't be read says nothing. */
export const ignoreLevel = async (directory: string): Promise<readonly IgnoreLevel[]> => {
  try {
    await using handle = await openRegular(join(directory, '.gitignore'), constants.O_RDONLY)
    return [parseIgnoreRules(directory, await handle.readFile('utf8'))]
  } catch {
    return []
  }
}

/** The rules of the directories above, up to the one with the repository; none outside of a repository. */
export const levelsAbove = async (directory: string): Promise<readonly IgnoreLevel[]> => {
  const above: string[] = []
  for (let at = directory; !(await exists(join(at, '.git'))); at = dirname(at)) {
    if (at === dirname(at)) return []
    above.unshift(dirname(at))
  }
  return (await Promise.all(above.map(ignoreLevel))).flat()
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
