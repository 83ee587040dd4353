/** Puts a whole new text in a file's place at once: whoever reads sees the old one or the new one. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { errnoOf, holdDirectory } from '../../process/confine.ts'
import { stampOf } from './seen-files.ts'

/** Makes the missing directories of a real path; returns those that it made, the outermost first. */
const makeDirectories = async (real: string): Promise<readonly string[]> => {
  const missing: string[] = []
  for (let at = real; await isMissing(at); at = dirname(at)) missing.unshift(at)
  const made: string[] = []
  try {
    for (const directory of missing) {
      await using parent = await holdDirectory(dirname(directory))
      try {
        await mkdir(parent.at(basename(directory)))
        made.push(directory)
      } catch (error) {
        if (errnoOf(error) !== 'EEXIST') throw error
      }
    }
    return made
  } catch (error) {
    await removeDirectories(made)
    throw error
  }
}

const isMissing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return true
      throw error
    },
  )

const removeDirectories = async (made: readonly string[]): Promise<void> => {
  for (const directory of made.toReversed())
    try {
      await using parent = await holdDirectory(dirname(directory))
      await rmdir(parent.at(basename(directory)))
    } catch {
      // One that isn't empty is in use by now, and so are those around it.
      return
    }
}

/** Owner and mode of the file that is replaced; an owner that can't be kept is not worth a failure. */
const keepAttributes = async (handle: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> => {
  const own = await handle.stat({ bigint: true })
  if (own.uid !== uid || own.gid !== gid) await handle.chown(Number(uid), Number(gid)).catch(() => undefined)
  await handle.chmod(Number(mode) & 0o7777)
}

/** `before` is what lies there now. Returns the stamp of the new file. A failure leaves everything as it was. */
export const replaceFile = async (
  real: string,
  text: string,
  before: BigIntStats | undefined,
): Promise<string> => {
  const made = await makeDirectories(dirname(real))
  try {
    await using folder = await holdDirectory(dirname(real))
    const temporary = folder.at(`.subgate-${randomUUID()}.tmp`)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    await using handle = await open(temporary, flags, 0o666)
    try {
      await handle.writeFile(text)
      if (before !== undefined) await keepAttributes(handle, before)
      await handle.sync()
      const stamp = stampOf(await handle.stat({ bigint: true }))
      await rename(temporary, folder.at(basename(real)))
      return stamp
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  } catch (error) {
    await removeDirectories(made)
    throw error
  }
}
