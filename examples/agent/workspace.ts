/** Confines paths to the roots of a session, also through symbolic links. */
import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'

/** What went wrong, in words for the person who asked. */
export class Problem extends Error {}

const within = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path)
    return true
  } catch {
    return false
  }
}

/** The real path, of which only the end may not exist yet. A dangling link exists, and so fails. */
const realOf = async (path: string): Promise<string> =>
  (await exists(path)) || path === dirname(path)
    ? realpath(path)
    : join(await realOf(dirname(path)), basename(path))

/** The first root is the session's `cwd`, which relative paths start from. */
export const locate = async (roots: readonly string[], path: string): Promise<string> => {
  const [cwd = '/'] = roots
  const outside = new Problem(`${path} is outside the folders of this session.`)
  if (path.includes('\0')) throw outside
  const absolute = resolve(cwd, path)
  let real: string
  try {
    real = await realOf(absolute)
  } catch {
    throw outside
  }
  for (const root of roots) if (within(await realpath(root), real)) return absolute
  throw outside
}

export const readText = async (path: string, name: string): Promise<string> => {
  // A FIFO or a device would block the read for ever.
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new Problem(`There is no ${name}.`)
  if (!found.isFile()) throw new Problem(`${name} is no ordinary file.`)
  return readFile(path, 'utf8')
}
