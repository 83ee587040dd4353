/** What a child's descriptor holds, and where the rest of it stands (B9.1, B9.2). */
import { expect, test } from 'vitest'
import { runId } from '../../../src/contract/ids.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { entry, header, session, settled, started } from '../../fixtures/entries.ts'
import { house, text } from '../../fixtures/house.ts'
import { EVERY_ROW, puppet } from '../../fixtures/puppet.ts'

const parentAndChild = async (home: ReturnType<typeof house>) => {
  const parent = await home.start({ keep: true })
  const child = await home.start({
    parent: { sessionId: parent.sessionId },
    label: 'look',
    model: 'm',
    maxDepth: 3,
    sandbox: 'read-only',
    outputSchema: { type: 'object' },
    limits: { maxTurns: 4, totalMs: 9000 },
  })
  return { parent, child }
}

const finish = async (home: ReturnType<typeof house>, id: SessionId): Promise<void> => {
  const turn = await home.puppet.turnOf(id)
  turn.say('{}')
  turn.end({ ended: 'completed' })
}

test('B9.1: it is appended once, before the first run, and says provider, mode, label, preset and model', async () => {
  await using home = house({ puppet: puppet({ capabilities: EVERY_ROW }) })
  const { child } = await parentAndChild(home)
  const types = home.entries(child.sessionId).map(({ event }) => event.type)
  expect(types.filter((type) => type === 'subagent/descriptor')).toHaveLength(1)
  expect(types.indexOf('subagent/descriptor')).toBeLessThan(types.indexOf('run/started'))
  expect(home.store.get(child.sessionId)?.registers.descriptor).toEqual({
    type: 'subagent/descriptor',
    version: 3,
    provider: 'puppet',
    mode: 'one-shot',
    label: 'look',
    model: 'm',
  })
})

test('B9.2: depth is in the header, policy in its events, and schema and limits belong to one run alone', async () => {
  await using home = house({ puppet: puppet({ capabilities: EVERY_ROW }) })
  const { child } = await parentAndChild(home)
  const stored = home.store.get(child.sessionId)
  expect([stored?.header.depth, stored?.header.maxDepth]).toEqual([1, 3])
  expect(stored?.registers.sandbox).toBe('read-only')
  await finish(home, child.sessionId)
  await child.result
  await home.start({ session: { from: 'resume', sessionId: child.sessionId }, prompt: text('on') })
  const { depth, maxDepth, sandbox, model, outputSchema, limits } = home.puppet.requests.at(-1) ?? {}
  expect([depth, maxDepth, sandbox, model]).toEqual([1, 3, 'read-only', 'm'])
  expect([outputSchema, limits?.maxTurns, limits?.totalMs]).toEqual([undefined, undefined, undefined])
})

test('B9.1: a copy is composed like what it is a copy of: preset, model, and a historical persona and tool filter', async () => {
  const presets = {
    find: (name: string) =>
      Promise.resolve({ name, instructions: { mode: 'append', text: 'Be brief.' } as const }),
    names: () => Promise.resolve(['brief']),
  }
  await using home = house({ puppet: puppet({ capabilities: EVERY_ROW }), presets })
  const first = await home.start({ preset: 'brief', model: 'm' })
  await finish(home, first.sessionId)
  await first.result
  const copy = await home.start({ session: { from: 'fork', sessionId: first.sessionId } })
  expect(home.puppet.requests.at(-1)).toMatchObject({ model: 'm', preset: { name: 'brief' } })
  expect(home.store.get(copy.sessionId)?.registers.descriptor).toMatchObject({ preset: 'brief', model: 'm' })
})

test('B9.4: a copy of a historical child stands under its persona and tool filter, and so does a copy of the copy', async () => {
  await using home = house({ puppet: puppet({ capabilities: EVERY_ROW }) })
  const historical = {
    type: 'subagent/descriptor',
    version: 2,
    provider: 'puppet',
    mode: 'kept',
    persona: 'You are old.',
    toolFilter: { allow: ['read'] },
  } as const
  const run = runId('run_old')
  const old = session('ses_old')
  const setup = [entry(1, { type: 'session/native_id', nativeId: 'a-1' }), entry(2, historical)]
  const registers = { lastCompleted: 0, nativeId: 'a-1', descriptor: historical }
  home.store.publish({ ...header('ses_old'), provider: 'puppet' }, [...setup, entry(3, started, run)], {
    ...registers,
    openRun: run,
  })
  home.store.append(old, entry(4, settled, run), { ...registers, lastCompleted: 4 }, true)
  let from: SessionId = old
  for (const _ of [1, 2]) {
    const copy = await home.start({ session: { from: 'fork', sessionId: from } })
    expect(home.puppet.requests.at(-1)).toMatchObject({
      persona: 'You are old.',
      toolFilter: { allow: ['read'] },
    })
    await finish(home, copy.sessionId)
    await copy.result
    from = copy.sessionId
  }
})
