/** The files of a session as the agent's requests reach them: within its roots, refused in JSON-RPC's words (C37). */
import { constants } from 'node:fs'
import {
  PathRefused,
  checkConfined,
  confinedDirectory as directoryWithin,
  openConfined,
} from '../../process/confine.ts'
import { INVALID_PARAMS, RpcError } from '../../wire/rpc-error.ts'

const inWireWords = (error: unknown): never => {
  throw error instanceof PathRefused ? new RpcError(INVALID_PARAMS, error.message) : error
}

/** The directory of a terminal: like a file's, within the roots. */
export const confinedDirectory = (path: string, roots: readonly string[]): Promise<string> =>
  directoryWithin(path, roots).catch(inWireWords)

/** A file that the person's client opens. */
export const checkedFile = (path: string, roots: readonly string[]): Promise<void> =>
  checkConfined(path, roots).catch(inWireWords)

/** `line` counts from 1; `limit` is a number of lines. */
export const readConfined = async (
  path: string,
  roots: readonly string[],
  { line, limit }: { readonly line?: number; readonly limit?: number } = {},
): Promise<string> => {
  await using handle = await openConfined(path, roots, constants.O_RDONLY).catch(inWireWords)
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
  const flags = constants.O_WRONLY | constants.O_CREAT
  await using handle = await openConfined(path, roots, flags).catch(inWireWords)
  await handle.truncate()
  await handle.writeFile(content)
}
