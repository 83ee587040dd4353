/** An ACP agent that runs subagents of its own: in its log as theirs, asked for with their path, stopped alone. */
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../src/contract/events.ts'
import type { SubagentRun } from '../../src/contract/run.ts'
import { acpHandshake, acpTurn } from '../../src/testing/fake-agent.ts'
import type { FakeStep } from '../../src/testing/fake-agent.ts'
import { acp, received } from '../fixtures/acp-house.ts'
import { agent, family, shared } from '../fixtures/acp/family.ts'
import { say } from '../fixtures/entries.ts'
import { until } from '../fixtures/house.ts'

const announce = (id: string, more: object = {}): object => ({
  sessionUpdate: 'subagent_update',
  sessionId: id,
  title: `the ${id}`,
  ...more,
})

const ofSubagents = (events: readonly SessionEvent[]): readonly SessionEvent[] =>
  events.filter(({ type }) => type === 'subagent/update')

const turn = (...steps: readonly (string | FakeStep)[]): readonly FakeStep[] => [
  ...acpHandshake(),
  ...acpTurn(steps),
]

test('subagents are advertised, and what one says is no part of the answer', async () => {
  const house = acp(
    turn(
      { update: announce('c1', { state: { state: 'running' } }) },
      { say: 'not the answer', sessionId: 'c1' },
      'the answer',
      { update: announce('c1', { state: { state: 'idle', stopReason: 'end_turn' } }) },
    ),
  )
  const run = await house.start()
  const { status, text } = await run.result
  expect([status, text]).toEqual(['completed', 'the answer'])
  const [initialize] = received(house, 'initialize')
  expect(initialize?.params).toMatchObject({ clientCapabilities: { subagents: {} } })
  expect(ofSubagents(house.entries(run.sessionId).map(({ event }) => event))).toEqual([
    {
      type: 'subagent/update',
      childId: 'c1',
      update: announce('c1', { state: { state: 'running' } }),
    },
    { type: 'subagent/update', childId: 'c1', update: say('not the answer') },
    {
      type: 'subagent/update',
      childId: 'c1',
      update: announce('c1', { state: { state: 'idle', stopReason: 'end_turn' } }),
    },
  ])
})

test('C28: a question of a subagent has its path and its id, and is decided by its own kind', async () => {
  const options = [
    { optionId: 'y', name: 'Yes', kind: 'allow_once' },
    { optionId: 'n', name: 'No', kind: 'reject_once' },
  ]
  const asks: FakeStep = {
    permission: { toolCall: { toolCallId: 't1' }, options },
    sessionId: 'c2',
    chosen: { y: [{ say: 'yes' }], n: [{ say: 'no' }] },
  }
  const house = acp(
    turn(
      { update: { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'look', kind: 'read' } },
      { update: announce('c1') },
      { update: announce('c2'), sessionId: 'c1' },
      {
        update: { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'write', kind: 'edit' },
        sessionId: 'c2',
      },
      asks,
    ),
    { asks: true },
  )
  const run = await house.start({ permission: 'allow-reads' })
  expect(await run.result).toMatchObject({ text: 'no', denied: [{ title: 'write', kind: 'edit' }] })
  expect(house.entries(run.sessionId).map(({ event }) => event)).toContainEqual(
    expect.objectContaining({
      type: 'permission/requested',
      childId: 'c2',
      path: ['the c1', 'the c2'],
      toolCall: { toolCallId: 't1', title: 'write', kind: 'edit' },
    }),
  )
})

test('a subagent is cancelled alone, by its own id; one that was never announced is not named', async () => {
  const house = acp([
    ...acpHandshake(),
    { expect: 'session/prompt' },
    { update: announce('c1') },
    { expect: 'session/cancel' },
    { say: 'went on' },
    { reply: { stopReason: 'end_turn' } },
  ])
  const run = await house.start()
  await until(() => house.entries(run.sessionId).some(({ event }) => event.type === 'subagent/update'))
  house.runtime.cancelSubagent(run.sessionId, 'unknown')
  house.runtime.cancelSubagent(run.sessionId, 'c1')
  expect(await run.result).toMatchObject({ status: 'completed', text: 'went on' })
  expect(received(house, 'session/cancel').map(({ params }) => params)).toEqual([{ sessionId: 'c1' }])
})

test('what a subagent says after the turn is kept, and belongs to no run', async () => {
  const house = acp([
    ...turn({ update: announce('c1') }, 'done'),
    { say: 'in the background', sessionId: 'c1' },
    { expect: 'session/prompt' },
  ])
  const run = await house.start({ keep: true })
  await run.result
  await until(() => ofSubagents(house.entries(run.sessionId).map(({ event }) => event)).length === 2)
  const late = house.entries(run.sessionId).findLast(({ event }) => event.type === 'subagent/update')
  expect(late).toMatchObject({
    event: { type: 'subagent/update', childId: 'c1', update: say('in the background') },
  })
  expect(late?.runId).toBeUndefined()
})

test('in a shared process the subagents of a session are its alone, also what they said before', async () => {
  const asked = { toolCallId: 't1', title: 'write', kind: 'edit' }
  const options = [{ optionId: 'n', name: 'No', kind: 'reject_once' }]
  const house = await family([
    ...agent(),
    { expect: 'session/new' },
    { reply: { sessionId: 's1' } },
    { expect: 'session/prompt' },
    { expect: 'session/new' },
    { reply: { sessionId: 's2' } },
    { expect: 'session/prompt' },
    { say: 'early', sessionId: 'c1' },
    { update: announce('c1'), sessionId: 's2' },
    // Another session can't take it.
    { update: announce('c1'), sessionId: 's1' },
    { say: 'late', sessionId: 'c1' },
    { permission: { toolCall: asked, options }, sessionId: 'c1' },
    { say: 'done', sessionId: 's2' },
    { reply: { stopReason: 'end_turn' } },
    { hang: true },
  ])
  const one = await house.child()
  const two = await house.child()
  expect((await two.result).status).toBe('completed')
  expect(shared(house)).toHaveLength(1)
  one.cancel()
  await one.result
  const heard = (run: SubagentRun): readonly unknown[] =>
    house.entries(run.sessionId).flatMap(({ event }): readonly unknown[] => {
      if (event.type === 'permission/requested') return [event.path]
      return event.type === 'subagent/update' ? [event.update] : []
    })
  expect(heard(two)).toEqual([announce('c1'), say('early'), say('late'), ['fake', 'the c1']])
  expect(heard(one)).not.toContainEqual(say('late'))
  expect(heard(one)).not.toContainEqual(['fake', 'the c1'])
  house.root.cancel()
})
