/** What a tool couldn't do, told to the model as a result; faults of the program itself still throw. */
import { PathRefused, errnoOf } from '../../process/confine.ts'
import type { ToolResult } from './tool.ts'

/** Never leaves a tool: `attempt` makes a result of it. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

const WAYS_OUT: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  EROFS: 'The file system is read-only',
  EACCES: 'The user may not do that here',
  EPERM: 'The user may not do that here',
  EMFILE: 'Too many files are open: try again with fewer calls at once',
  ENFILE: 'Too many files are open: try again with fewer calls at once',
  ENAMETOOLONG: 'The name is too long',
  ENOENT: 'It vanished meanwhile: look again',
  EISDIR: 'A directory has that name',
}

const words = (error: unknown, signal: AbortSignal): string | undefined => {
  if (error instanceof ToolFailure) return error.message
  if (signal.aborted) return 'The call was stopped.'
  if (error instanceof PathRefused) {
    const way = WAYS_OUT[error.errno ?? '']
    return `${error.message}.${error.refusal === 'io' && way !== undefined ? ` ${way}.` : ''}`
  }
  const errno = errnoOf(error)
  if (!/^E[A-Z0-9]+$/u.test(errno)) return undefined
  return `The system refused it (${errno}). ${WAYS_OUT[errno] ?? 'Check the path and try again'}.`
}

/** Runs a call; what the model or the system did wrong becomes a result with `isError`. */
export const attempt = async (signal: AbortSignal, call: () => Promise<ToolResult>): Promise<ToolResult> => {
  try {
    signal.throwIfAborted()
    return await call()
  } catch (error) {
    const text = words(error, signal)
    if (text === undefined) throw error
    return { text, isError: true }
  }
}
