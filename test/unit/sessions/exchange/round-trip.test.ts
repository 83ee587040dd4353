/** Laws of export and import over random histories: nothing is lost, whatever is copied from whatever. */
import { zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../../../src/contract/events.ts'
import { permissionId, runId, sessionId } from '../../../../src/contract/ids.ts'
import { memoryStore } from '../../../../src/sessions/memory-store.ts'
import { prefixThrough } from '../../../../src/sessions/prefix.ts'
import { EMPTY_REGISTERS } from '../../../../src/sessions/registers.ts'
import { SessionLog } from '../../../../src/sessions/session-log.ts'
import type { SessionHeader, Store } from '../../../../src/sessions/store.ts'
import { header, say } from '../../../fixtures/entries.ts'
import { bring, fileOf, textOf } from './rig.ts'

const setup = fc.oneof<fc.Arbitrary<SessionEvent>[]>(
  fc.record({ type: fc.constant('session/native_id' as const), nativeId: fc.string() }),
  fc.record({
    type: fc.constant('sandbox/mode' as const),
    mode: fc.constantFrom('read-only' as const, 'workspace-write' as const),
    source: fc.constantFrom('delegation' as const, 'request' as const),
  }),
  fc.record({
    type: fc.constant('notice' as const),
    severity: fc.constantFrom('info' as const, 'error' as const),
    title: fc.string({ unit: 'binary' }),
    data: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<any>,
  }),
  fc.record({
    type: fc.constant('permission/preset' as const),
    preset: fc.constant('auto'),
    source: fc.constant('delegation' as const),
  }),
)
const update = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => say(text)),
  fc.dictionary(fc.string(), fc.jsonValue()).map((more) => ({ ...more, sessionUpdate: 'anything' })),
)
const turn = fc.record({
  setup: fc.array(setup, { maxLength: 2 }),
  updates: fc.array(update, { maxLength: 4 }),
  asks: fc.boolean(),
  status: fc.constantFrom('completed' as const, 'empty' as const, 'cancelled' as const),
})
/** `from` is the session that it is copied from, counted back; 0 = none. */
const session = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
  from: fc.nat(2),
  child: fc.boolean(),
})
const sessions = fc.array(session, { minLength: 1, maxLength: 4 })
type Session = typeof session extends fc.Arbitrary<infer T> ? T : never

const begin = (store: Store, id: string, { from, child }: Session, index: number): SessionLog => {
  const source = from === 0 || from > index ? undefined : store.get(sessionId(`s${index - from}`))
  const through = source?.registers.lastCompleted ?? 0
  const prefix = source === undefined ? [] : prefixThrough(source.header, through)
  const full: SessionHeader = {
    ...header(id, prefix),
    ...(child &&
      source !== undefined && { parentId: source.header.id, depth: source.header.depth + 1, maxDepth: 9 }),
    ...(child && { label: `Ä${id}` }),
  }
  if (source === undefined || through === 0)
    return SessionLog.create(store, { ...full, prefix: [] }, EMPTY_REGISTERS, () => index)
  const { sandbox, permissionPreset, approvalPolicy, approvalSource } = source.registers
  const policy = Object.entries({ sandbox, permissionPreset, approvalPolicy, approvalSource })
  const kept = child ? {} : Object.fromEntries(policy.filter(([, value]) => value !== undefined))
  return SessionLog.create(store, full, { lastCompleted: through, ...kept }, () => index)
}

const write = (store: Store, history: readonly Session[]): readonly string[] =>
  history.map((each, index) => {
    const id = `s${index}`
    const log = begin(store, id, each, index)
    for (const [number, { setup: before, updates, asks, status }] of each.turns.entries()) {
      const run = runId(`run_${id}_${number}`)
      for (const event of before) log.append(event)
      log.append({ type: 'run/started', provider: 'p', depth: 0 }, run)
      for (const one of updates) log.append({ type: 'session/update', update: one }, run)
      if (asks) {
        const permission = permissionId('per_1')
        log.append(
          {
            type: 'permission/requested',
            id: permission,
            toolCall: { toolCallId: 't' },
            options: [],
            path: [],
          },
          run,
        )
        log.append(
          { type: 'permission/resolved', id: permission, outcome: { outcome: 'cancelled' }, by: 'cancel' },
          run,
        )
      }
      log.append({ type: 'run/settled', status, denied: [], durationMs: 0 }, run)
    }
    return id
  })

const all = (store: Store, ids: readonly string[]): string => ids.map((id) => textOf(store, id)).join('')

test('what was imported exports as the text that it came from, with the same registers, alone or together', async () => {
  await fc.assert(
    fc.asyncProperty(sessions, fc.boolean(), async (history, packed) => {
      using one = memoryStore()
      using other = memoryStore()
      const ids = write(one, history)
      const text = all(one, ids)
      await bring(other, fileOf(packed ? zstdCompressSync(text) : text))
      expect(all(other, ids)).toBe(text)
      for (const id of ids) {
        const before = one.get(sessionId(id))
        const after = other.get(sessionId(id))
        expect(after?.registers).toEqual(before?.registers)
        expect({ ...after?.header, prefix: [] }).toEqual({ ...before?.header, prefix: [] })
        expect(other.runs(sessionId(id))).toEqual(one.runs(sessionId(id)))
      }
    }),
    { numRuns: 60 },
  )
})

test('under new ids it is the same but for them, beside the original', async () => {
  await fc.assert(
    fc.asyncProperty(sessions, async (history) => {
      using store = memoryStore()
      const ids = write(store, history)
      const text = all(store, ids)
      const imported = await bring(store, fileOf(text), true)
      expect(imported.map(({ from }) => from)).toEqual(ids)
      expect(new Set([...ids, ...imported.map(({ id }) => id)]).size).toBe(2 * ids.length)
      const copy = all(
        store,
        imported.map(({ id }) => id),
      )
      expect(shape(copy)).toEqual(shape(text))
      expect(all(store, ids)).toBe(text)
    }),
    { numRuns: 40 },
  )
})

/** Lines without the ids that are renamed. */
const shape = (text: string): readonly unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { header: head, runId: _, ...rest } = JSON.parse(line)
      if (head !== undefined) delete rest.header
      return head === undefined
        ? rest
        : { ...rest, depth: head.depth, label: head.label, child: head.parentId !== undefined }
    })
