/** What an observer of runs is shown: live events alone, each once, whatever a session was seeded with (B3.4). */
import { expect, test } from 'vitest'
import type { LogEntry } from '../../../src/contract/events.ts'
import { SubagentError } from '../../../src/contract/errors.ts'
import type { BegunRun, ObservedRun, RunObserver } from '../../../src/contract/observer.ts'
import { codeOf, house } from '../../fixtures/house.ts'
import { agents, delegate } from '../../fixtures/in-process.ts'
import { puppet } from '../../fixtures/puppet.ts'
import { traced } from '../../fixtures/spans.ts'

interface Shown {
  readonly begun: BegunRun
  readonly entries: LogEntry[]
  over: number
}

const TRACE = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }

/** Keeps what it is shown, run by run. */
const recorder = (): { readonly observer: RunObserver; readonly shown: readonly Shown[] } => {
  const shown: Shown[] = []
  return {
    shown,
    observer: {
      begin: (begun): ObservedRun => {
        const run: Shown = { begun, entries: [], over: 0 }
        shown.push(run)
        return {
          trace: TRACE,
          event: (entry) => run.entries.push(entry),
          [Symbol.dispose]: () => {
            run.over += 1
          },
        }
      },
    },
  }
}

const typesOf = ({ entries }: Shown): readonly string[] =>
  entries.map(({ event }) => event.type).filter((type) => type !== 'session/update')

test('B3.4: of a fork nothing of the shared history is shown, and its policy events once', async () => {
  const { observer, shown } = recorder()
  await using home = agents({ observer })
  const { sessionId: id } = await home.play('say: marmalade', { keep: true, sandbox: 'read-only' })
  const history = home.entries(id).length
  const { sessionId: child } = await home.play('say: mine', { provider: 'fork', parent: { sessionId: id } })
  const fork = shown[1]
  expect(history).toBeGreaterThan(4)
  expect(fork?.entries[0]?.seq).toBe(history + 1)
  expect(fork?.entries).toEqual(home.entries(child).slice(history))
  expect(JSON.stringify(fork?.entries)).not.toContain('marmalade')
  expect(fork && typesOf(fork)).toEqual([
    'sandbox/mode',
    'approval/policy',
    'subagent/descriptor',
    'session/native_id',
    'run/started',
    'run/settled',
  ])
})

test('B3.4: the history of a fork is exported once, by the run that made it', async () => {
  const { observer, only } = traced({ content: true })
  await using home = agents({ observer })
  const { sessionId: id } = await home.play('call glob: {"pattern": "*"}\nsay: marmalade', { keep: true })
  await home.play('say: mine', { provider: 'fork', parent: { sessionId: id } })
  expect(only('gen_ai.tool.name', 'glob').name).toBe('execute_tool glob')
  const fork = only('gen_ai.agent.name', 'fork')
  expect(JSON.stringify(fork.attributes)).not.toContain('marmalade')
  expect(fork.events.filter(({ name }) => name === 'approval/policy')).toHaveLength(1)
})

test('a session that goes on shows each event to one run', async () => {
  const { observer, shown } = recorder()
  await using home = agents({ observer })
  const { sessionId: id } = await home.play('say: one', { keep: true })
  await home.play('say: two', { session: { from: 'resume', sessionId: id } })
  expect(shown.flatMap(({ entries }) => entries)).toEqual(home.entries(id))
  expect(shown.map(({ over }) => over)).toEqual([1, 1])
})

test('a delegation names the tool call that it comes from, and its span stands below it', async () => {
  const { observer, only } = traced()
  await using home = agents({ observer })
  await home.play(delegate('subagent', 'say: hi'))
  const [, child] = home.ids
  const tool = only('gen_ai.tool.name', 'subagent')
  expect(only('gen_ai.conversation.id', child).parentSpanContext?.spanId).toBe(tool.spanContext().spanId)
})

test('a start that is refused when its agent is opened is begun and over, and shows nothing', async () => {
  const { observer, shown } = recorder()
  const open = (): never => {
    throw new SubagentError('CANCELLED', 'session', 'No.', { by: 'request' })
  }
  await using home = house({ observer, puppet: puppet({ open }) })
  expect(await codeOf(home.start())).toBe('CANCELLED')
  expect(shown.map(({ entries, over }) => [entries, over])).toEqual([[[], 1]])
})

test('an observer that throws at every turn harms no run, and is complained of once', async () => {
  const warnings: string[] = []
  const log = {
    debug: () => {},
    info: () => {},
    error: () => {},
    warn: (_: object, said: string) => warnings.push(said),
  }
  const refuse = (): never => {
    throw new Error('no')
  }
  for (const observer of [
    { begin: refuse },
    { begin: () => ({ trace: undefined, event: refuse, [Symbol.dispose]: refuse }) },
  ]) {
    await using home = agents({ observer, log })
    expect((await home.play('say: hi')).text).toBe('hi')
  }
  expect(warnings).toEqual(['the observer of runs failed', 'the observer of runs failed'])
})

test('the agent is given the trace of its run, in its processes and with its prompt', async () => {
  const { observer } = recorder()
  const environments: object[] = []
  const own = puppet({ open: (_, { env }) => void environments.push(env) })
  await using home = house({ observer, puppet: own })
  const run = await home.start()
  const { turn } = await own.turnOf(run.sessionId)
  expect(environments).toMatchObject([{ TRACEPARENT: TRACE.traceparent }])
  expect(turn.request.trace).toEqual(TRACE)
})

test("without an observer the request's own trace goes on to the agent, and a malformed one does not", async () => {
  await using home = house()
  const run = await home.start({ meta: { ...TRACE, tracestate: 'v=1', more: 'x' } })
  const { turn } = await home.puppet.turnOf(run.sessionId)
  expect(turn.request.trace).toEqual({ ...TRACE, tracestate: 'v=1' })
  const other = await home.start({ meta: { traceparent: 'nonsense' } })
  expect((await home.puppet.turnOf(other.sessionId)).turn.request.trace).toBeUndefined()
})
