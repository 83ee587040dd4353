/** What a file holds now, as far as a change of it needs to know. */
import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { PathRefused, openRegular } from '../../process/confine.ts'
import { isBinary } from './lines.ts'
import { stampOf } from './seen-files.ts'

/** Bytes of the largest file that is taken into memory. */
export const EDITABLE_BYTES: number = 10 * 1024 * 1024

export interface CurrentFile {
  readonly stats: BigIntStats
  readonly stamp: string
  /** Absent when the file can't be taken as text; `unfit` says why. */
  readonly text?: string
  readonly unfit?: string
}

/** Undefined when there is no such file. Opened for writing too, so that a protected one is refused early. */
export const currentFile = async (real: string): Promise<CurrentFile | undefined> => {
  const opened = await openRegular(real, constants.O_RDWR).catch((error: unknown) => {
    if (error instanceof PathRefused && error.refusal === 'missing') return undefined
    throw error
  })
  if (opened === undefined) return undefined
  await using handle = opened
  const stats = await handle.stat({ bigint: true })
  const file = { stats, stamp: stampOf(stats) }
  if (stats.size > EDITABLE_BYTES) return { ...file, unfit: `is larger than ${EDITABLE_BYTES} bytes` }
  const bytes = await handle.readFile()
  if (isBinary(bytes)) return { ...file, unfit: 'is binary' }
  if (!isUtf8(bytes)) return { ...file, unfit: 'is not valid UTF-8, and a change would damage it' }
  return { ...file, text: bytes.toString('utf8') }
}
