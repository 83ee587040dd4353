/** Law 10: a provider served by our face and consumed by our ACP provider behaves as the provider itself. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { CAPABILITY_IDS } from '../../src/capabilities/catalog.ts'
import { claims } from '../../src/capabilities/rows.ts'
import type { ClientOffer } from '../../src/contract/client.ts'
import { SubagentError } from '../../src/contract/errors.ts'
import type { LogEntry, SessionEvent } from '../../src/contract/events.ts'
import type { SubagentStartRequest } from '../../src/contract/request.ts'
import type { SubagentResult } from '../../src/contract/result.ts'
import type { SubagentRun } from '../../src/contract/run.ts'
import type { SessionStore } from '../../src/sessions/store.ts'
import { askedClient } from './loopback-client.ts'
import { direct, looped } from './loopback-house.ts'
import type { Route } from './loopback-house.ts'
import { EVERYTHING, loopbackProvider, script } from './loopback-provider.ts'
import type { LoopbackProvider, Script, Step } from './loopback-provider.ts'

const cwd = mkdtempSync(join(tmpdir(), 'subgate-loopback-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const limits = fc.record(
  {
    idleMs: fc.constantFrom(0, 3_600_000),
    totalMs: fc.constant(3_600_000),
    maxTurns: fc.integer({ min: 1, max: 9 }),
    maxTokens: fc.integer({ min: 1, max: 9 }),
    maxCostUsd: fc.constantFrom(0, 1.5),
  },
  { requiredKeys: [] },
)

type Controls = Omit<SubagentStartRequest, 'provider' | 'prompt'>

const controls: fc.Arbitrary<Controls> = fc.record(
  {
    model: fc.constantFrom('m-1', 'm 2'),
    effort: fc.constantFrom('high', 'low'),
    sandbox: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access'),
    maxDepth: fc.nat(5),
    keep: fc.boolean(),
    label: fc.string(),
    limits,
    outputSchema: fc.constantFrom({}, { type: 'object' }, { type: 'string' }),
    permission: fc.constantFrom('deny', 'ask', 'allow-reads', 'allow'),
    additionalDirectories: fc.constantFrom([], ['/']),
    mcpServers: fc.constantFrom(
      [],
      [{ name: 'a', command: 'b', args: ['c'], env: [{ name: 'd', value: 'e' }] }],
      [{ type: 'http', name: 'h', url: 'http://127.0.0.1:1', headers: [] }],
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Controls>

interface Case {
  readonly request: SubagentStartRequest
  readonly answers: boolean
  readonly offer: ClientOffer | undefined
  readonly script: Script
}

const offers: fc.Arbitrary<ClientOffer | undefined> = fc.option(
  fc.record({
    readTextFile: fc.boolean(),
    writeTextFile: fc.boolean(),
    terminal: fc.boolean(),
    elicitation: fc.record({ form: fc.boolean(), url: fc.boolean() }),
  }),
  { nil: undefined },
)

const cases: fc.Arbitrary<Case> = fc
  .record({ played: script, asked: controls, answers: fc.boolean(), offer: offers })
  .map(({ played, asked, answers, offer }) => {
    // Late updates need a session that lives on, and -0 and the like don't survive JSON.
    const late = asked.keep === true ? played.late : []
    const end = asked.outputSchema === undefined ? played.end : { ...played.end, denied: [] }
    const plain = JSON.parse(JSON.stringify({ ...played, end, late })) as Script
    const prompt = [{ type: 'text' as const, text: JSON.stringify(plain) }]
    const request = { provider: 'looped', prompt, ...asked }
    if (!plain.steps.some((step) => 'ask' in step && step.answer === 'cancel the run'))
      return { request, answers, offer, script: plain }
    // Policy must not be quicker than the person who cancels instead of answering.
    const { permission: _, ...open } = request
    return { request: open, answers: true, offer, script: plain }
  })

/** The person of the test: answers as the script says, in the order of the questions. */
const attend = async (run: SubagentRun, { script: { steps } }: Case): Promise<void> => {
  const asks = steps.filter((step): step is Extract<Step, { ask: unknown }> => 'ask' in step)
  let asked = 0
  for await (const { event } of run.events()) {
    if (event.type === 'session/update' && event.update['title' as never] === 'hanging') run.cancel()
    if (event.type !== 'permission/requested') continue
    const { answer = 'cancelled' } = asks[asked] ?? {}
    asked += 1
    if (answer === 'cancel the run') run.cancel()
    else if (answer === 'cancelled') run.respond(event.id, { outcome: 'cancelled' })
    else run.respond(event.id, { outcome: 'selected', optionId: `o${answer}` })
  }
}

const until = async (holds: () => boolean): Promise<void> => {
  const deadline = Date.now() + 10_000
  while (!holds() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 1))
}

interface Seen {
  readonly asked: readonly object[]
  readonly events: readonly object[]
  readonly late: readonly object[]
  readonly result: object
}

const see = async ({ runtime, store }: Route, one: Case): Promise<Seen> => {
  const client = one.offer && askedClient(one.offer, cwd)
  const run = await runtime.start(one.request, { answers: one.answers, ...(client && { client }) })
  const attending = attend(run, one)
  const result = await run.result
  await attending
  await until(() => lateOf(log(store, run)).length >= one.script.late.length)
  const entries = log(store, run)
  if (one.request.keep === true) await runtime.close(run.sessionId)
  return {
    asked: (client?.seen ?? []).map((call) => ({ ...call, after: updatesUpTo(entries, call.after) })),
    events: eventsOf(entries),
    late: lateOf(entries),
    result: comparable(result),
  }
}

const log = (store: SessionStore, run: SubagentRun): readonly LogEntry[] =>
  store.read(run.sessionId, 0, 10_000)

const lateOf = (entries: readonly LogEntry[]): readonly object[] =>
  entries.flatMap(({ event }) => (event.type === 'session/late_update' ? [event.update] : []))

/** Law 8: what of the agent's words a call to the client comes behind. */
const updatesUpTo = (entries: readonly LogEntry[], after = 0): number =>
  entries.filter(({ seq, event }) => seq <= after && event.type === 'session/update').length

/** Ids are minted on each side; a question is known by its place. */
const eventsOf = (entries: readonly LogEntry[]): readonly object[] => {
  const ids: string[] = []
  const shown = (event: SessionEvent): readonly object[] => {
    switch (event.type) {
      case 'session/update':
      case 'notice':
        return [event]
      case 'permission/requested': {
        const { id, ...rest } = event
        return [{ ...rest, question: ids.push(id) }]
      }
      case 'permission/resolved': {
        const { id, ...rest } = event
        return [{ ...rest, question: ids.indexOf(id) + 1 }]
      }
      case 'run/settled':
        return [{ status: event.status }]
      default:
        return []
    }
  }
  return entries.flatMap(({ event }) => shown(event))
}

/** Of an error the wire carries all; of a failed run's usage, and of what its agent says was denied, nothing. */
const comparable = (result: SubagentResult): object => {
  const { status, category, text, structured, denied, usage, provider, depth, error } = result
  const shown = { status, category, text, structured, denied, provider, depth, error }
  return error === undefined ? { ...shown, usage } : shown
}

const arrived = ({ received }: LoopbackProvider, { keep }: SubagentStartRequest): object => {
  const [request] = received
  const { model, effort, sandbox, maxDepth, label, limits: given, outputSchema, prompt } = request ?? {}
  const { additionalDirectories, mcpServers, cwd: where } = request ?? {}
  return {
    opened: { model, effort, sandbox, maxDepth, label, limits: given, outputSchema, prompt },
    places: { additionalDirectories, mcpServers, where },
    ...(keep !== undefined && { keep: request?.keep }),
    calls: received.length,
  }
}

test('law 10: events, order, permissions, endings, values and typed errors are the same through face and provider', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const [here, there] = [loopbackProvider(EVERYTHING), loopbackProvider(EVERYTHING)]
      await using plain = direct(here, cwd)
      await using behind = looped(there, cwd)
      const expected = await see(plain, one)
      expect(await see(behind, one)).toEqual(expected)
      expect(arrived(there, one.request)).toEqual(arrived(here, one.request))
      expect(there.offered.map(orNothing)).toEqual(here.offered.map(orNothing))
    }),
    { numRuns: 120 },
  )
}, 120_000)

test('law 10: what the provider refuses is refused through face and provider in the same words, and opens nothing', async () => {
  const rows = fc
    .subarray(CAPABILITY_IDS.filter((id) => id !== 'fork' && id !== 'steer'))
    .map((ids) => claims(Object.fromEntries(ids.map((id) => [id, 'native' as const]))))
  await fc.assert(
    fc.asyncProperty(rows, controls, async (capabilities, asked) => {
      const request = { provider: 'looped', prompt: [{ type: 'text' as const, text: FINE }], ...asked }
      const [here, there] = [loopbackProvider(capabilities), loopbackProvider(capabilities)]
      await using plain = direct(here, cwd)
      await using behind = looped(there, cwd)
      const outcome = async ({ runtime }: Route): Promise<object> => {
        try {
          const run = await runtime.start(request)
          const { status, error } = await run.result
          return { status, error }
        } catch (error) {
          return SubagentError.is(error) ? error.toJSON() : { thrown: String(error) }
        }
      }
      const expected = await outcome(plain)
      expect(await outcome(behind)).toEqual(expected)
      expect(there.received.length).toBe(here.received.length)
    }),
    { numRuns: 120 },
  )
}, 120_000)

/** Nobody, and somebody who offers nothing, are the same. */
const orNothing = (offer: ClientOffer | undefined): object =>
  offer ?? {
    readTextFile: false,
    writeTextFile: false,
    terminal: false,
    elicitation: { form: false, url: false },
  }

const FINE = JSON.stringify({ steps: [], end: { ended: 'completed' }, late: [] })
