/** Kept agents over processes that share one store: who takes a message, who is heard, and what a death leaves. */
import { describe, expect, test } from 'vitest'
import { runId } from '../../src/contract/ids.ts'
import { recoverLost } from '../../src/runtime/recover.ts'
import { StoredRun } from '../../src/runtime/stored-run.ts'
import { silentLogger } from '../../src/contract/logger.ts'
import type { SessionId } from '../../src/contract/ids.ts'
import { agentsOf, answer, begin, endings, prompts, send, told, turnOf, waiting } from '../fixtures/kept.ts'
import { house, until } from '../fixtures/house.ts'
import type { House } from '../fixtures/house.ts'
import { mortalStore } from '../fixtures/mortal-store.ts'
import { storeHouse } from '../fixtures/store-file.ts'
import type { StoreHouse } from '../fixtures/store-file.ts'

const open = (place: StoreHouse, owner: string): House & { die(): void } => {
  const { store, die } = mortalStore(place.open(owner))
  return {
    ...house({ store }),
    die: () => {
      place.dead.add(owner)
      die()
    },
  }
}

const resume = (home: House, sessionId: SessionId) =>
  home.start({ keep: true, session: { from: 'resume', sessionId } })

const settledRuns = async (home: House, id: SessionId, count: number): Promise<void> =>
  until(() => endings(home.entries(id)).length >= count)

/** A root in one process, whose idle child another one holds. */
const apart = async (one: House, two: House) => {
  const root = await begin(one)
  const child = await begin(one, root.id)
  await answer(child)
  await one.runtime.close(child.id)
  const run = await resume(two, child.id)
  const turn = await turnOf(two, child.id, 1)
  return { root, child: { id: child.id, run, turn } }
}

describe('B11.1: over processes', () => {
  test('a message to a stored child is taken up by the process of who sends it', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    const root = await begin(one)
    const child = await begin(one, root.id)
    await answer(child)
    await one.runtime.close(child.id)
    expect(
      agentsOf(root)
        .list()
        .map(({ state }) => state),
    ).toEqual(['ready'])
    send(agentsOf(root), child.id, 'more')
    const turn = await turnOf(one, child.id, 2)
    expect(turn.turn.request).toMatchObject({
      parentSessionId: root.id,
      keep: true,
      origin: { from: 'resume' },
    })
    const next = root.turn.turn.letters.next(new AbortController().signal)
    turn.end()
    expect(told(await next)).toEqual(['settled completed'])
    await answer(root)
  })

  test('a message to one that another process holds is taken there, in order, and its notices come back', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    const { root, child } = await apart(one, two)
    expect(
      agentsOf(root)
        .list()
        .map(({ state }) => state),
    ).toEqual(['running'])
    send(agentsOf(root), child.id, 'first')
    send(agentsOf(root), child.id, 'second')
    await answer(child)
    ;(await turnOf(two, child.id, 2)).end()
    ;(await turnOf(two, child.id, 3)).end()
    await settledRuns(two, child.id, 4)
    expect(prompts(two, child.id)).toEqual(['go', 'go', 'first', 'second'])
    expect(one.puppet.turns).toHaveLength(2)
    await until(() => waiting(one, root.id).length === 4)
    expect(told(root.turn.turn.letters.read())).toEqual([
      'settled completed',
      'settled completed',
      'settled empty',
      'settled empty',
    ])
    await answer(root)
  })

  test('an interrupt reaches the run in another process, and so does the cancel of a run that is only known', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    const { root, child } = await apart(one, two)
    expect(agentsOf(root).interrupt(child.id)).toBe(true)
    expect((await child.run.result).status).toBe('cancelled')
    const again = await resume(two, child.id)
    const row = one.store.run(runId(again.id))
    if (row === undefined) throw new Error('The run is unknown.')
    new StoredRun(row, one.store, Date.now).cancel()
    expect((await again.result).status).toBe('cancelled')
    await answer(root)
  })

  test('authority is read from the stored lineage, whoever asks', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    await using two = open(place, 'two')
    const { root, child } = await apart(one, two)
    const stranger = await begin(two)
    expect(() => send(agentsOf(stranger), child.id, 'x')).toThrow(
      expect.objectContaining({ code: 'UNAUTHORIZED' }),
    )
    expect(() => agentsOf(stranger).interrupt(child.id)).toThrow(
      expect.objectContaining({ code: 'UNAUTHORIZED' }),
    )
    expect(waiting(two, child.id)).toEqual([])
    await answer(stranger)
    await answer(child)
    await answer(root)
  })
})

describe('B11.2: a death', () => {
  test('of the child’s process loses no message and gives one notice, of an interrupted run with what it had said', async () => {
    using place = storeHouse()
    await using one = open(place, 'one')
    const two = open(place, 'two')
    const { root, child } = await apart(one, two)
    root.turn.turn.letters.read()
    child.turn.turn.delegation.agents.report('half way')
    child.turn.say('Half of it')
    await until(() => one.entries(child.id).some(({ event }) => JSON.stringify(event).includes('Half of it')))
    send(agentsOf(root), child.id, 'more')
    two.die()
    await recoverLost({ store: one.store, now: Date.now, log: silentLogger })
    const turn = await turnOf(one, child.id, 2)
    turn.end()
    await settledRuns(one, child.id, 3)
    expect(prompts(one, child.id)).toEqual(['go', 'go', 'more'])
    expect(one.store.letters(root.id)).toMatchObject([
      { kind: 'report', text: 'half way' },
      {
        kind: 'settled',
        status: 'interrupted',
        category: 'owner_lost',
        text: expect.stringContaining('Half of it') as string,
      },
      { kind: 'settled', status: 'empty' },
    ])
    await answer(root)
  })

  test('of the parent’s process leaves its letters for its next run', async () => {
    using place = storeHouse()
    const one = open(place, 'one')
    await using two = open(place, 'two')
    const { root, child } = await apart(one, two)
    child.turn.turn.delegation.agents.report('half way')
    await answer(child)
    one.die()
    await recoverLost({ store: two.store, now: Date.now, log: silentLogger })
    const run = await resume(two, root.id)
    const turn = await turnOf(two, root.id, 1)
    expect(told(turn.turn.letters.read())).toEqual([
      'settled completed',
      'report half way',
      'settled completed',
    ])
    expect(turn.turn.letters.read()).toEqual([])
    turn.end()
    await run.result
    expect(waiting(two, root.id)).toEqual([])
  })

  test('of who sent a message to a stored child leaves it in the inbox, for whoever takes the child up', async () => {
    using place = storeHouse()
    const one = open(place, 'one')
    const root = await begin(one)
    const child = await begin(one, root.id)
    await answer(child)
    await one.runtime.close(child.id)
    one.store.post({
      to: child.id,
      from: root.id,
      at: 1,
      kind: 'message',
      content: [{ type: 'text', text: 'more' }],
    })
    one.die()
    await using two = open(place, 'two')
    await recoverLost({ store: two.store, now: Date.now, log: silentLogger })
    const run = await resume(two, child.id)
    ;(await turnOf(two, child.id, 1)).end()
    await run.result
    ;(await turnOf(two, child.id, 2)).end()
    await settledRuns(two, child.id, 3)
    expect(prompts(two, child.id)).toEqual(['go', 'go', 'more'])
  })

  test('of the process of a whole tree: who takes its root up takes up what was sent to stored agents at any depth', async () => {
    using place = storeHouse()
    const one = open(place, 'one')
    const root = await begin(one)
    const child = await begin(one, root.id)
    const grandchild = await begin(one, child.id)
    await answer(grandchild)
    await answer(child)
    await one.runtime.close(child.id)
    for (const [to, words] of [
      [child.id, 'more'],
      [grandchild.id, 'deeper'],
    ] as const)
      one.store.post({ to, from: root.id, at: 1, kind: 'message', content: [{ type: 'text', text: words }] })
    one.die()
    await using two = open(place, 'two')
    await recoverLost({ store: two.store, now: Date.now, log: silentLogger })
    const run = await resume(two, root.id)
    for (const id of [child.id, grandchild.id]) (await turnOf(two, id, 1)).end()
    await settledRuns(two, child.id, 2)
    await settledRuns(two, grandchild.id, 2)
    expect([prompts(two, child.id), prompts(two, grandchild.id)]).toEqual([
      ['go', 'more'],
      ['go', 'deeper'],
    ])
    ;(await turnOf(two, root.id, 1)).end()
    await run.result
  })
})
