/** The stored records of dsh 0.1 as its events: header, contiguous numbers, packed runs of chunks unpacked. Pure. */
import * as z from 'zod/mini'
import '../../contract/zod-config.ts'
import { isRecord } from '../../contract/json.ts'
import { complaint } from '../../contract/parse.ts'
import { depthSchema as count } from '../../contract/request-schema.ts'
import { badFile } from './bad-file.ts'
import type { Place } from './bad-file.ts'
import type { Row } from './read-session.ts'

/** The one format version that dsh 0.1 writes. */
const DSH_FORMAT = 0

const text = z.string()
const name = text.check(z.minLength(1))

export interface DshHeader {
  readonly id: string
  readonly createdAt: number
  readonly cwd?: string
  readonly parentSession?: string
  /** So many of its events came from the session that it was forked from. */
  readonly seedLength?: number
  readonly delegationDepth: number
  readonly agentPreset?: string
}

const headerSchema: z.ZodMiniType<DshHeader> = z.looseObject({
  type: z.literal('session'),
  version: z.literal(DSH_FORMAT),
  id: name,
  createdAt: count,
  cwd: z.exactOptional(name),
  parentSession: z.exactOptional(name),
  seedLength: z.exactOptional(count),
  delegationDepth: count,
  agentPreset: z.exactOptional(name),
})

export type SurfaceOp = 'append' | { readonly op: 'replace'; readonly start: number; readonly end: number }

/** `data` is foreign until the event's own schema has read it. */
export interface DshEvent {
  readonly type: string
  /** Counts from 0. */
  readonly seq: number
  readonly time: number
  readonly data: unknown
  readonly ignorable?: true
  readonly surfaceOp?: SurfaceOp
  readonly place: Place
}

const eventSchema: z.ZodMiniType<Omit<DshEvent, 'place'>> = z.looseObject({
  type: name,
  seq: count,
  time: z.number(),
  data: z.record(z.string(), z.any()),
  ignorable: z.exactOptional(z.literal(true)),
  surfaceOp: z.exactOptional(
    z.union([z.literal('append'), z.looseObject({ op: z.literal('replace'), start: count, end: count })]),
  ),
})

const run = { turn: z.number(), step: z.number(), index: z.number(), dt: z.array(z.int()) }
const packed = {
  texts: z.looseObject({ ...run, texts: z.array(text) }),
  args: z.looseObject({ ...run, args: z.array(text) }),
}
const rowSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text-chunks'), seq0: count, time0: z.number(), data: packed.texts }),
  z.looseObject({ type: z.literal('reasoning-chunks'), seq0: count, time0: z.number(), data: packed.texts }),
  z.looseObject({ type: z.literal('tool-call-chunks'), seq0: count, time0: z.number(), data: packed.args }),
])
const PACKED: ReadonlySet<unknown> = new Set(['text-chunks', 'reasoning-chunks', 'tool-call-chunks'])

/** Reads a foreign value, or says what is wrong with it and where. */
export const readAs = <T>(schema: z.ZodMiniType<T>, value: unknown, place: Place, within = ''): T => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { path, message } = complaint(parsed.error, [])
  const field = [within, path].filter((part) => part !== '').join('.')
  throw badFile(place, field === '' ? message : `"${field}": ${message}`, field)
}

export const isDshHeader = (value: unknown): boolean =>
  isRecord(value) && value['type'] === 'session' && !('header' in value)

export const readDshHeader = ({ place, value }: Row): DshHeader => {
  const version = isRecord(value) ? value['version'] : undefined
  if (version !== DSH_FORMAT && typeof version === 'number') {
    throw badFile(
      place,
      `its format is version ${version}; of dsh's formats version 0 is known here`,
      'version',
    )
  }
  return readAs(headerSchema, value, place)
}

const KINDS = { 'text-chunks': 'text-delta', 'reasoning-chunks': 'reasoning-delta' } as const

const unpack = ({ place, value }: Row): readonly DshEvent[] => {
  const row = readAs(rowSchema, value, place)
  const members =
    row.type === 'tool-call-chunks'
      ? row.data.args.map((argumentsDelta) => ({ type: 'tool-call-delta', argumentsDelta }))
      : row.data.texts.map((words) => ({ type: KINDS[row.type], text: words }))
  if (row.data.dt.length !== members.length - 1) {
    throw badFile(place, `${members.length} chunks can't have ${row.data.dt.length} gaps of time`, 'data.dt')
  }
  let time = row.time0
  return members.map((chunk, index) => {
    time += index === 0 ? 0 : (row.data.dt[index - 1] ?? 0)
    return { type: 'assistant/chunk', seq: row.seq0 + index, time, data: { chunk }, place }
  })
}

const eventsOf = (row: Row): readonly DshEvent[] => {
  const { place, value } = row
  if (isRecord(value) && PACKED.has(value['type'])) return unpack(row)
  return [{ ...readAs(eventSchema, value, place), place }]
}

export const readDshEvents = (rows: readonly Row[]): readonly DshEvent[] => {
  const events = rows.flatMap(eventsOf)
  for (const [index, { seq, place }] of events.entries()) {
    if (seq !== index) throw badFile(place, `after event ${index - 1} comes ${index}, not ${seq}`, 'seq')
  }
  return events
}
