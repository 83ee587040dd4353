/** `subgate sessions export`: writes stored sessions as JSON Lines, to standard output or to a file. */
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { SubagentError } from '../../contract/errors.ts'
import { exportLines, openReader, treeOf } from '../../gateway-store.ts'
import type { Store } from '../../gateway-store.ts'
import type { Io } from '../io.ts'
import { meant } from '../reading/meant.ts'

export interface ExportFlags {
  readonly output?: string
  readonly tree?: true
  readonly force?: true
}

export const exportCommand = async (text: string, flags: ExportFlags, io: Io): Promise<number> => {
  using reader = openReader({ env: io.env })
  const { store, session } = meant(reader, text, io.cwd)
  const ids = flags.tree === true ? treeOf(store, session.header.id) : [session.header.id]
  if (flags.output === undefined) {
    await print(store, ids, io)
    return 0
  }
  const file = resolve(io.cwd, flags.output)
  if (flags.force !== true && (await exists(file))) throw there(file)
  await write(store, ids, file)
  io.say(`${ids.length} ${ids.length === 1 ? 'session' : 'sessions'} exported to ${file}.`)
  return 0
}

function* linesOf(store: Store, ids: ReturnType<typeof treeOf>): Generator<string> {
  for (const id of ids) yield* exportLines(store, id)
}

/** No faster than it is read; not at all once nobody reads any more. */
const print = async (store: Store, ids: ReturnType<typeof treeOf>, io: Io): Promise<void> => {
  for (const lines of linesOf(store, ids)) {
    if (!io.stdout.open) return
    io.stdout.write(lines)
    await io.stdout.ready()
  }
  await io.stdout.flushed()
}

/** Whole or not at all, and for its owner alone: conversations may hold what nobody else should read. */
const write = async (store: Store, ids: ReturnType<typeof treeOf>, file: string): Promise<void> => {
  const part = `${file}.${process.pid}.part`
  const lines = Readable.from(linesOf(store, ids))
  const target = createWriteStream(part, { mode: 0o600 })
  try {
    if (/\.zstd?$/u.test(file)) await pipeline(lines, createZstdCompress(), target)
    else await pipeline(lines, target)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    if (SubagentError.is(error)) throw error
    const why = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new SubagentError(
      'INVALID_REQUEST',
      'request',
      `${file} can't be written (${why}). Name a file in a folder of yours.`,
      { field: '--output' },
    )
  }
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

const there = (file: string): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'request',
    `${file} is there already, and was left as it is. Name another file, or add --force.`,
    { field: '--output' },
  )
