/** Built-in agents that keep agents: background work, reports, waking, and what a conversation keeps of them. */
import { expect, test } from 'vitest'
import type { LogEntry } from '../../../src/contract/events.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { text, until } from '../../fixtures/house.ts'
import { agents, call, listening, toolResults } from '../../fixtures/in-process.ts'
import type { Agents } from '../../fixtures/in-process.ts'
import { endings, prompts, received, waiting } from '../../fixtures/kept.ts'
import { puppet } from '../../fixtures/puppet.ts'

const inBackground = (prompt: string, tool = 'subagent'): string =>
  call(tool, { description: 'a rehearsed task', prompt, run_in_background: true })

const edges = (entries: readonly LogEntry[]): readonly string[] =>
  entries.flatMap(({ event }) =>
    event.type === 'run/started' || event.type === 'run/settled' || event.type === 'letter/received'
      ? [event.type === 'letter/received' ? event.letter.kind : event.type]
      : [],
  )

const settledRuns = async (home: Agents, id: SessionId | undefined, count: number): Promise<void> =>
  until(() => endings(home.entries(id)).length >= count)

test('B11.2, B12.1: a turn waits for its background child, reads its report, then its notice with the answer, and goes on', async () => {
  await using home = agents()
  const child = `${call('report', { text: 'half way' })}\nsay: It is blue.`
  const result = await home.play(`${inBackground(child)}\nsay: I wait.`)
  const [, childId] = home.ids
  expect(result.status).toBe('completed')
  expect(toolResults(home.entries(result.sessionId))).toEqual([
    `completed: The subagent works in the background as agent ${childId}. Its reports and its answer come to you as messages.`,
  ])
  const log = edges(home.entries(result.sessionId))
  expect(log).toEqual(['run/started', 'report', 'settled', 'run/settled'])
  expect(result.text).toContain('It finished.\n\nIt is blue.')
  expect(waiting(home, result.sessionId)).toEqual([])
  expect(home.runtime.load).toEqual({ active: 0, queued: 0 })
  // Its parent was a one-shot run, and took it along.
  expect(home.runtime.agents.list().map(({ state, lastStatus }) => [state, lastStatus])).toEqual([
    ['ready', 'completed'],
  ])
})

test('B12.1: background children run side by side with their parent, whatever the number of slots', async () => {
  await using home = agents({ settings: { concurrency: { total: 1, queue: 8 } } })
  const three = [1, 2, 3].map((n) => inBackground(`say: Number ${n}.`)).join('\nalso ')
  const result = await home.play(`${three}\nsay: I wait.`)
  expect(result.status).toBe('completed')
  const letters = received(home.entries(result.sessionId))
  expect(letters).toEqual(['settled completed', 'settled completed', 'settled completed'])
})

test('B12.1: a provider that can not be resumed takes no background child, and nothing is published', async () => {
  const once = puppet({ name: 'once', capabilities: {} })
  await using home = agents({
    providers: [{ provider: once }],
    deployment: { delegationTools: [{ name: 'subagent', provider: 'once' }] },
  })
  const result = await home.play(`${inBackground('go')}\nsay: So be it.`)
  expect(toolResults(home.entries(result.sessionId))).toEqual([
    expect.stringMatching(/^failed: No subagent was started\. UNSUPPORTED_CAPABILITY: /u),
  ])
  expect(home.ids).toHaveLength(1)
  expect(once.requests).toEqual([])
})

test('law 11: a cancel of the turn that waits ends its background children', async () => {
  await using home = agents()
  const run = await home.start(`${inBackground('hang:')}\nsay: I wait.`, { keep: true })
  await until(() => home.ids.length === 2)
  await until(() =>
    home.entries(run.sessionId).some(({ event }) => JSON.stringify(event).includes('I wait.')),
  )
  run.cancel()
  expect((await run.result).status).toBe('cancelled')
  await settledRuns(home, home.ids[1], 1)
  expect(endings(home.entries(home.ids[1])).map(([, status]) => status)).toEqual(['cancelled'])
  expect(waiting(home, run.sessionId)).toEqual(['settled cancelled'])
})

test('B11.2: an idle child is woken by the notice of its own child; a root reads it with its next prompt', async () => {
  await using home = agents()
  const middle = `${inBackground('say: Dug.')}\nsay: I wait.`
  const root = await home.play(`${inBackground(middle)}\nsay: I wait too.`, { keep: true })
  const [rootId, middleId, diggerId] = home.ids
  if (diggerId === undefined || middleId === undefined || rootId === undefined) throw new Error('too few')
  expect(root.status).toBe('completed')
  home.runtime.agents.send(diggerId, text('say: Dug deeper.'))
  await settledRuns(home, middleId, 2)
  expect(prompts(home, diggerId)).toEqual(['say: Dug.', 'say: Dug deeper.'])
  expect(prompts(home, middleId)[1]).toContain('It finished.\n\nDug deeper.')
  expect(received(home.entries(middleId))).toEqual(['settled completed'])
  expect(waiting(home, rootId)).toEqual(['settled completed'])
  expect(endings(home.entries(rootId))).toHaveLength(1)
  const next = await home.play('what now', { session: { from: 'resume', sessionId: rootId } })
  expect(next.text).toContain('what now')
  expect(received(home.entries(rootId))).toEqual(['settled completed', 'settled completed'])
})

test('B11.2: what was received stays in the conversation, for a follow-up and for a fork', async () => {
  const { home, asked } = listening()
  await using _ = home
  const root = await home.play(`${inBackground('say: Blue.')}\nsay: I wait.`, { keep: true })
  const session = { from: 'resume', sessionId: root.sessionId } as const
  await home.play('say: on', { session })
  await home.play('say: copied', { provider: 'fork', parent: { sessionId: root.sessionId } })
  for (const request of asked.slice(-2)) {
    const said = JSON.stringify(request.prompt)
    expect(said.split('It finished.').length - 1).toBeGreaterThanOrEqual(1)
    expect(said).toContain('<subagent-notice')
  }
})

test('B11.1: what a script hears in its middle does not end it', async () => {
  await using home = agents()
  const slow = Array.from({ length: 6 }, () => call('glob', { pattern: '*' })).join('\n')
  const result = await home.play(`${inBackground('say: Quick.')}\n${slow}\nsay: The end.`)
  expect(toolResults(home.entries(result.sessionId))).toHaveLength(7)
  expect(received(home.entries(result.sessionId))).toEqual(['settled completed'])
})
