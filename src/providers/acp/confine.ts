/** Opens files for an agent within its session's roots, whatever links or names it tries (C37). */
import { constants } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'
import { INVALID_PARAMS, RpcError } from '../../wire/rpc-error.ts'

const refuse = (path: string, why: string): never => {
  throw new RpcError(INVALID_PARAMS, `${JSON.stringify(path)} ${why}`)
}

const within = (root: string, path: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

const checkForm = (path: string): void => {
  if (!isAbsolute(path)) refuse(path, 'is not an absolute path')
  if (path.includes('\0')) refuse(path, 'holds a NUL byte')
  if (path.split(sep).includes('..')) refuse(path, 'holds ".."')
}

/**
 * The real path behind `path`, whose directory must exist. Only its last part may be missing, and no part of
 * it may lead out of the roots.
 */
const realTarget = async (path: string, roots: readonly string[]): Promise<string> => {
  checkForm(path)
  const directory = await realpath(dirname(path)).catch(() => refuse(path, 'has no existing directory'))
  return insideRoots(join(directory, basename(path)), path, roots)
}

const insideRoots = async (real: string, path: string, roots: readonly string[]): Promise<string> => {
  const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => root)))
  return allowed.some((root) => within(root, real))
    ? real
    : refuse(path, "lies outside of the session's directories")
}

/**
 * The last part is opened without following a link, so that one that was put there in the meantime can't lead
 * out; a FIFO or device neither blocks nor is read.
 */
const openConfined = async (path: string, roots: readonly string[], flags: number): Promise<FileHandle> => {
  const real = await realTarget(path, roots)
  const safe = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(real, safe, 0o644).catch((error: NodeJS.ErrnoException) =>
    refuse(path, error.code === 'ELOOP' ? 'is a symbolic link' : `can't be opened (${error.code})`),
  )
  const stats = await handle.stat()
  if (stats.isFile()) return handle
  await handle.close()
  return refuse(path, 'is not a regular file')
}

/** The directory of a terminal: like a file's, within the roots. */
export const confinedDirectory = async (path: string, roots: readonly string[]): Promise<string> => {
  checkForm(path)
  const real = await realpath(path).catch(() => refuse(path, 'does not exist'))
  await insideRoots(real, path, roots)
  return (await stat(real)).isDirectory() ? real : refuse(path, 'is not a directory')
}

/** `line` counts from 1; `limit` is a number of lines. */
export const readConfined = async (
  path: string,
  roots: readonly string[],
  { line, limit }: { readonly line?: number; readonly limit?: number } = {},
): Promise<string> => {
  await using handle = await openConfined(path, roots, constants.O_RDONLY)
  const text = await handle.readFile('utf8')
  if (line === undefined && limit === undefined) return text
  const from = Math.max((line ?? 1) - 1, 0)
  const lines = text.split('\n')
  return lines.slice(from, limit === undefined ? lines.length : from + limit).join('\n')
}

export const writeConfined = async (
  path: string,
  roots: readonly string[],
  content: string,
): Promise<void> => {
  await using handle = await openConfined(path, roots, constants.O_WRONLY | constants.O_CREAT)
  await handle.truncate()
  await handle.writeFile(content)
}
