/** Where a path of a tool call leads: its real path, and whether that lies in the session's directories (C37). */
import { relative, resolve } from 'node:path'
import { isInside, isWithin, realTarget } from '../../process/confine.ts'
import { ToolFailure } from './failure.ts'
import type { ToolContext } from './tool.ts'

export interface Place {
  /** Absolute, as it was meant; `..` is taken away before links are followed. */
  readonly path: string
  readonly real: string
  readonly exists: boolean
  readonly inside: boolean
  /** As people and the model read it: relative to the working directory when it lies in it. */
  readonly shown: string
}

export const shownPath = (path: string, cwd: string): string =>
  isWithin(cwd, path) ? relative(cwd, path) || '.' : path

/** A relative path counts from the working directory. Refuses what has no real path, such as a link to nothing. */
export const locate = async (
  asked: string,
  { cwd, roots }: Pick<ToolContext, 'cwd' | 'roots'>,
): Promise<Place> => {
  if (asked === '') throw new ToolFailure('The path is empty. Name a file or directory.')
  const path = resolve(cwd, asked)
  const { real, exists } = await realTarget(path)
  return { path, real, exists, inside: await isInside(real, roots), shown: shownPath(path, cwd) }
}
