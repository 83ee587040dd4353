/** Walks a directory in the order of names: no link is followed, and what git ignores is left out. */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { holdDirectory } from '../../process/confine.ts'
import { ignoreLevel, isIgnored, levelsAbove } from './ignore-rules.ts'
import type { IgnoreLevel } from './ignore-rules.ts'

export interface Found {
  /** Relative to the directory that is walked. */
  readonly path: string
  readonly kind: 'file' | 'directory' | 'other'
}

export interface WalkOptions {
  readonly signal: AbortSignal
  /** Hears of each directory that can't be read and is passed over. */
  unreadable?(path: string): void
}

const namesIn = async (directory: string): Promise<readonly Dirent[]> => {
  await using held = await holdDirectory(directory)
  const entries = await readdir(held.at('.'), { withFileTypes: true })
  return entries
    .filter(({ name }) => name !== '.git')
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
}

const kindOf = (entry: Dirent): Found['kind'] =>
  entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other'

/** `real` is a real path. Rejects only when that directory itself can't be read, or the signal aborts. */
export async function* walk(real: string, options: WalkOptions): AsyncGenerator<Found> {
  const levels = await levelsAbove(real)
  yield* below(real, '', await namesIn(real), levels, options)
}

async function* below(
  real: string,
  prefix: string,
  entries: readonly Dirent[],
  above: readonly IgnoreLevel[],
  options: WalkOptions,
): AsyncGenerator<Found> {
  const directory = join(real, prefix)
  const hasRules = entries.some(({ name }) => name === '.gitignore')
  const levels = hasRules ? [...above, ...(await ignoreLevel(directory))] : above
  for (const entry of entries) {
    options.signal.throwIfAborted()
    const path = join(prefix, entry.name)
    const kind = kindOf(entry)
    if (levels.length > 0 && isIgnored(join(real, path), kind === 'directory', levels)) continue
    yield { path, kind }
    if (kind !== 'directory') continue
    const inner = await namesIn(join(real, path)).catch(() => options.unreadable?.(path))
    if (inner !== undefined) yield* below(real, path, inner, levels, options)
  }
}
