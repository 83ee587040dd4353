/** What recovery makes of a run whose process died: the same that the run itself would have said (law 13, C14). */
import { expect, test } from 'vitest'
import { permissionId, runId } from '../../src/contract/ids.ts'
import { silentLogger } from '../../src/contract/logger.ts'
import { recoverLost } from '../../src/runtime/recover.ts'
import { settleOpen } from '../../src/sessions/exchange/settle-open.ts'
import { entry, started } from '../fixtures/entries.ts'
import { house, until } from '../fixtures/house.ts'
import { mortalStore } from '../fixtures/mortal-store.ts'
import { storeHouse } from '../fixtures/store-file.ts'
import type { PuppetTurn } from '../fixtures/puppet.ts'

/** Denied by policy; allowed by it; decided by an agent of ours whose approvals are pinned; and one that stays open. */
const play = async (turn: PuppetTurn): Promise<void> => {
  turn.say('so far')
  const call = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c1',
    title: 'Write notes.md',
    kind: 'edit',
  } as const
  turn.turn.emit({ type: 'session/update', update: call })
  // A question that only names its call is told with what was said of the call before.
  const options = [
    { optionId: 'y', name: 'Yes', kind: 'allow_once' },
    { optionId: 'n', name: 'No', kind: 'reject_once' },
  ] as const
  await turn.turn.requestPermission({ toolCall: { toolCallId: 'c1' }, options })
  await turn.ask('Read a.txt', 'read')
  const asked = {
    id: 'a1',
    title: 'Run make',
    kind: 'execute',
    reason: 'policy',
    flag: '--sandbox x',
  } as const
  turn.turn.emit({ type: 'approval/asked', ...asked })
  turn.turn.emit({ type: 'approval/decided', id: 'a1', decision: 'rejected', by: 'policy' })
}

const DENIED = [
  { title: 'Write notes.md', kind: 'edit', flag: '--permission allow' },
  { title: 'Run make', kind: 'execute', flag: '--sandbox x' },
]

test('law 6: an interrupted run lists what policy had denied, exactly as one that settles by itself', async () => {
  using place = storeHouse()
  const { store, die } = mortalStore(place.open('one'))
  const home = house({ store, settings: { permission: 'allow-reads' } })
  const settles = await home.start({ permission: 'allow-reads' })
  const own = await home.puppet.turnOf(settles.sessionId)
  await play(own)
  own.end()
  const result = await settles.result
  expect(result.denied).toEqual(DENIED)

  const run = await home.start({ permission: 'allow-reads' }, { answers: false })
  await play(await home.puppet.turnOf(run.sessionId))
  await until(() => home.entries(run.sessionId).some(({ event }) => event.type === 'approval/decided'))
  place.dead.add('one')
  die()
  const two = place.open('two')
  expect(await recoverLost({ store: two, now: Date.now, log: silentLogger })).toEqual([run.sessionId])
  const last = two.read(run.sessionId, 0, 99).at(-1)?.event
  expect(last).toMatchObject({ type: 'run/settled', status: 'interrupted', denied: DENIED })
})

test('law 6: so does a session that is imported with its run open', () => {
  const run = runId('run_open')
  const call = { toolCallId: 'c1', title: 'Write notes.md', kind: 'edit' } as const
  const options = [{ optionId: 'n', name: 'No', kind: 'reject_once' }] as const
  const id = permissionId('p1')
  const entries = settleOpen([
    entry(1, started, run),
    entry(2, { type: 'permission/requested', id, toolCall: call, options, path: [] }, run),
    entry(
      3,
      { type: 'permission/resolved', id, outcome: { outcome: 'selected', optionId: 'n' }, by: 'policy' },
      run,
    ),
  ])
  expect(entries.at(-1)?.event).toMatchObject({
    type: 'run/settled',
    status: 'interrupted',
    denied: [{ title: 'Write notes.md', kind: 'edit', flag: '--permission allow' }],
  })
})
