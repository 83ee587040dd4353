/** Files within a set of directories: real paths, and opens that no link can lead elsewhere (C37). */
import { constants } from 'node:fs'
import type { Stats } from 'node:fs'
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'

export type PathRefusal = 'form' | 'missing' | 'outside' | 'link' | 'kind' | 'moved' | 'io'

/** Why a path isn't touched. Neutral: each caller says it in the words of its own border. */
export class PathRefused extends Error {
  override readonly name = 'PathRefused'
  readonly refusal: PathRefusal
  readonly path: string
  readonly errno: string | undefined

  constructor(refusal: PathRefusal, path: string, why: string, errno?: string) {
    super(`${JSON.stringify(path)} ${why}`)
    this.refusal = refusal
    this.path = path
    this.errno = errno
  }
}

const refuse = (refusal: PathRefusal, path: string, why: string, errno?: string): never => {
  throw new PathRefused(refusal, path, why, errno)
}

export const errnoOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown error'
}

export const isWithin = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

export const isInside = async (real: string, roots: readonly string[]): Promise<boolean> => {
  const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => root)))
  return allowed.some((root) => isWithin(root, real))
}

/**
 * The real path behind an absolute one. What doesn't exist yet is kept as it is written below its nearest
 * existing directory; a link to nothing is refused, since following it would create what it points to.
 */
export const realTarget = async (
  path: string,
): Promise<{ readonly real: string; readonly exists: boolean }> => {
  if (path.includes('\0')) refuse('form', path, 'holds a NUL byte')
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return { real: join(await realpath(at), ...missing), exists: missing.length === 0 }
    } catch (error) {
      const errno = errnoOf(error)
      if (errno === 'ELOOP') refuse('link', path, 'is a circle of symbolic links', errno)
      if (errno === 'ENOTDIR') refuse('kind', path, 'lies below a file', errno)
      if (errno !== 'ENOENT' || at === dirname(at)) refuse('io', path, `can't be reached (${errno})`, errno)
      const entry = await entryAt(at, path)
      if (entry?.isSymbolicLink() === true) refuse('link', path, 'is or passes a symbolic link to nothing')
      if (entry !== undefined) refuse('moved', path, 'was replaced while it was being looked up')
      missing.unshift(basename(at))
    }
  }
}

const entryAt = (at: string, path: string): Promise<Stats | undefined> =>
  lstat(at).catch((error: unknown) => {
    const errno = errnoOf(error)
    return errno === 'ENOENT' ? undefined : refuse('io', path, `can't be reached (${errno})`, errno)
  })

// Node has no name for it: a directory that may be passed but not listed can be held too.
const PASS_ONLY = process.platform === 'linux' ? 0o10000000 : constants.O_RDONLY

export interface HeldDirectory extends AsyncDisposable {
  /** The path of an entry, through the directory that is held and not through its name. */
  at(name: string): string
}

/**
 * Holds a directory by its real path. Where the system has `/proc/self/fd`, what is done through it stays in
 * it, even when a part of its path is swapped for a link meanwhile.
 */
export const holdDirectory = async (real: string): Promise<HeldDirectory> => {
  const flags = PASS_ONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const handle = await open(real, flags).catch((error: unknown) => {
    const errno = errnoOf(error)
    return errno === 'ENOENT'
      ? refuse('missing', real, 'does not exist', errno)
      : refuse(errno === 'ENOTDIR' ? 'kind' : 'io', real, `can't be opened as a directory (${errno})`, errno)
  })
  const held = `/proc/self/fd/${handle.fd}`
  const now = await readlink(held).catch(() => undefined)
  if (now !== undefined && now !== real) {
    await handle.close()
    refuse('moved', real, 'was replaced while it was being opened')
  }
  const base = now === undefined ? real : held
  return { at: (name) => join(base, name), [Symbol.asyncDispose]: () => handle.close() }
}

/** Opens a regular file by its real path. A link, FIFO, device or directory there is neither followed nor read. */
export const openRegular = async (real: string, flags: number, mode = 0o644): Promise<FileHandle> => {
  await using folder = await holdDirectory(dirname(real))
  const safe = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(folder.at(basename(real)), safe, mode).catch((error: unknown) => {
    const errno = errnoOf(error)
    if (errno === 'ENOENT') refuse('missing', real, 'does not exist', errno)
    if (errno === 'ELOOP') refuse('link', real, 'is a symbolic link', errno)
    const special = errno === 'EISDIR' || errno === 'ENXIO' || errno === 'ENODEV'
    return special
      ? refuse('kind', real, 'is not a regular file', errno)
      : refuse('io', real, `can't be opened (${errno})`, errno)
  })
  try {
    if ((await handle.stat()).isFile()) return handle
  } catch (error) {
    await handle.close()
    return refuse('io', real, `can't be opened (${errnoOf(error)})`, errnoOf(error))
  }
  await handle.close()
  return refuse('kind', real, 'is not a regular file')
}

const checkForm = (path: string): void => {
  if (!isAbsolute(path)) refuse('form', path, 'is not an absolute path')
  if (path.includes('\0')) refuse('form', path, 'holds a NUL byte')
  if (path.split(sep).includes('..')) refuse('form', path, 'holds ".."')
}

/**
 * Opens a file within the roots for a peer that has to name it plainly: absolute, without `..`, and not itself
 * a link. Only its last part may be missing.
 */
export const openConfined = async (
  path: string,
  roots: readonly string[],
  flags: number,
): Promise<FileHandle> => {
  checkForm(path)
  const directory = await realpath(dirname(path)).catch(() =>
    refuse('missing', path, 'has no existing directory'),
  )
  const real = join(directory, basename(path))
  if (!(await isInside(real, roots))) refuse('outside', path, "lies outside of the session's directories")
  return openRegular(real, flags)
}

/**
 * Checks a file that somebody else opens by the same name: within the roots by its real path, where what doesn't exist
 * yet counts by its nearest existing directory. A part of it that is swapped afterwards is out of reach here.
 */
export const checkConfined = async (path: string, roots: readonly string[]): Promise<void> => {
  checkForm(path)
  const { real, exists } = await realTarget(path)
  if (!(await isInside(real, roots))) refuse('outside', path, "lies outside of the session's directories")
  if (exists && !(await stat(real)).isFile()) refuse('kind', path, 'is not a regular file')
}

/** The real path of a directory within the roots. */
export const confinedDirectory = async (path: string, roots: readonly string[]): Promise<string> => {
  checkForm(path)
  const real = await realpath(path).catch(() => refuse('missing', path, 'does not exist'))
  if (!(await isInside(real, roots))) refuse('outside', path, "lies outside of the session's directories")
  return (await stat(real)).isDirectory() ? real : refuse('kind', path, 'is not a directory')
}
