/** A provider whose turn is a script in its prompt, and the random scripts for it. */
import * as fc from 'fast-check'
import { CAPABILITY_IDS } from '../../src/capabilities/catalog.ts'
import { claims } from '../../src/capabilities/rows.ts'
import type { SubagentCapabilities } from '../../src/contract/capabilities.ts'
import type { ClientOffer } from '../../src/contract/client.ts'
import type { SessionUpdate } from '../../src/contract/content.ts'
import { ERROR_CATALOG } from '../../src/contract/error-catalog.ts'
import { SubagentError } from '../../src/contract/errors.ts'
import type { ErrorCode } from '../../src/contract/errors.ts'
import type { Notice } from '../../src/contract/events.ts'
import type { PermissionQuestion, SubagentProvider, Turn } from '../../src/contract/provider.ts'
import type { ResolvedStartRequest } from '../../src/contract/request.ts'
import type { TurnOutcome } from '../../src/contract/result.ts'
import { clientOf } from './loopback-client.ts'
import type { Asks } from './loopback-client.ts'

export type Step =
  | { readonly update: SessionUpdate }
  | { readonly notice: Notice }
  /** The answer is for the person in the test: an option's number, or a word. */
  | { readonly ask: PermissionQuestion; readonly answer: number | 'cancelled' | 'cancel the run' }
  | { readonly wait: number }
  /** What the person's client is asked; its answer is said, and so is that there is nobody to ask. */
  | { readonly client: ClientStep }
  /** Tells the person to cancel, and waits for it. */
  | { readonly hang: true }

export type ClientStep =
  | { readonly read: string }
  | { readonly write: string; readonly content: string }
  /** Made, looked at, and released unless it is left. */
  | { readonly terminal: string; readonly left: boolean }
  | { readonly form: string; readonly meta: object }
  /** Withdrawn when it is not answered by then: it never is. */
  | { readonly page: string; readonly completes: boolean }

export type End =
  | TurnOutcome
  | { readonly fails: ErrorCode; readonly message: string }
  | { readonly throws: string }

export interface Script {
  readonly steps: readonly Step[]
  readonly end: End
  readonly late: readonly SessionUpdate[]
}

export const HANGS: SessionUpdate = { sessionUpdate: 'session_info_update', title: 'hanging' }
export const EVERYTHING: SubagentCapabilities = claims(
  Object.fromEntries(CAPABILITY_IDS.map((id) => [id, 'native' as const])),
)

export interface LoopbackProvider extends SubagentProvider {
  /** Requests that reached `open`. */
  readonly received: ResolvedStartRequest[]
  /** What there was to be had of a client. */
  readonly offered: (ClientOffer | undefined)[]
}

export const loopbackProvider = (capabilities: SubagentCapabilities): LoopbackProvider => {
  const received: ResolvedStartRequest[] = []
  const offered: (ClientOffer | undefined)[] = []
  return {
    name: 'looped',
    capabilities,
    negotiated: [],
    inheritsParentContext: false,
    received,
    offered,
    open: (request, { client }) => {
      received.push(request)
      offered.push(client?.offer)
      const asks = clientOf(client, request.cwd)
      return Promise.resolve({
        capabilities,
        nativeId: 'a-native-id',
        usable: true,
        prompt: (content, turn) => {
          const [first] = content
          return play(JSON.parse(first?.type === 'text' ? first.text : '') as Script, turn, asks)
        },
        [Symbol.asyncDispose]: () => asks.leave(),
      })
    },
  }
}

const play = async ({ steps, end, late }: Script, turn: Turn, asks: Asks): Promise<TurnOutcome> => {
  for (const step of steps) {
    if (turn.signal.aborted) break
    if ('client' in step) await asks.perform(step.client, turn)
    else await perform(step, turn)
  }
  if (late.length > 0) setTimeout(() => sayLate(late, turn), 1)
  if ('throws' in end) throw new TypeError(end.throws)
  if ('fails' in end) throw new SubagentError(end.fails, 'prompt', end.message, { field: 'x' })
  return turn.signal.aborted ? { ...end, ended: 'cancelled' } : end
}

const perform = async (step: Exclude<Step, { client: unknown }>, turn: Turn): Promise<void> => {
  if ('update' in step) turn.emit({ type: 'session/update', update: step.update })
  else if ('notice' in step) turn.emit(step.notice)
  else if ('ask' in step) await turn.requestPermission(step.ask)
  else if ('wait' in step) await new Promise((resolve) => setTimeout(resolve, step.wait))
  else {
    turn.emit({ type: 'session/update', update: HANGS })
    if (turn.signal.aborted) return
    await new Promise((resolve) => turn.signal.addEventListener('abort', resolve, { once: true }))
  }
}

const sayLate = (updates: readonly SessionUpdate[], turn: Turn): void => {
  for (const update of updates) turn.emit({ type: 'session/update', update })
}

const merged = (...parts: readonly object[]): object => Object.assign({}, ...parts) as object

const words = fc.string({ unit: 'grapheme', maxLength: 12 })
const fields = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 3,
})
const options = fc
  .array(
    fc.record({
      name: words,
      kind: fc.constantFrom('allow_once', 'allow_always', 'reject_once', 'reject_always'),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => all.map((option, index) => ({ optionId: `o${index}`, ...option })))

const toolCall = fc.record(
  {
    toolCallId: fc.constantFrom('t1', 't2', 't3'),
    title: words,
    kind: fc.constantFrom('read', 'edit', 'search', 'execute', 'other'),
    rawInput: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: ['toolCallId'] },
)

const known: fc.Arbitrary<object> = fc.oneof(
  fc.record({
    sessionUpdate: fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'),
    content: words.map((text) => ({ type: 'text', text })),
  }),
  fc.record({
    sessionUpdate: fc.constant('agent_message_chunk'),
    content: words.map((text) => ({ type: 'text', text })),
    messageId: fc.constantFrom('m1', 'm2'),
  }),
  fc
    .tuple(toolCall, fc.constantFrom('pending', 'completed', 'nonsense'))
    .map(([call, status]) => merged({ sessionUpdate: 'tool_call', title: 'a call' }, call, { status })),
  fc.record({ sessionUpdate: fc.constant('usage_update'), used: fc.nat(), size: fc.nat() }),
  fc.constant({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.5, currency: 'USD' } }),
)

const update = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: known },
      words.map((word) => ({ sessionUpdate: `_x${word}` })),
    ),
    fields,
  )
  .map(([update_, more]) => merged(more, update_) as SessionUpdate)

const notice: fc.Arbitrary<Notice> = fc
  .record(
    {
      severity: fc.constantFrom('info', 'warning', 'error'),
      title: words,
      detail: words,
      data: fields,
    },
    { requiredKeys: ['severity', 'title'] },
  )
  .map((said) => merged({ type: 'notice' }, said) as Notice)

const ask = fc
  .tuple(toolCall, options, fc.array(words, { maxLength: 2 }), fc.nat(3))
  .map(([call, offered, path, answer]) => ({
    ask: { toolCall: call, options: offered, ...(path.length > 0 && { path }) } as PermissionQuestion,
    answer: answer < offered.length ? answer : ('cancelled' as const),
  }))

const clientStep: fc.Arbitrary<ClientStep> = fc.oneof(
  fc.record({ read: fc.constantFrom('a.txt', 'b/c.txt') }),
  fc.record({ write: fc.constantFrom('a.txt', 'b/c.txt'), content: words }),
  fc.record({ terminal: fc.constantFrom('make', 'npm test'), left: fc.boolean() }),
  fc.record({ form: words, meta: fields }),
  fc.record({ page: fc.constantFrom('e1', 'e2'), completes: fc.boolean() }),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: update.map((one) => ({ update: one })) },
  { weight: 2, arbitrary: ask },
  { weight: 1, arbitrary: notice.map((one) => ({ notice: one })) },
  { weight: 1, arbitrary: fc.nat(3).map((wait) => ({ wait })) },
  { weight: 2, arbitrary: clientStep.map((client) => ({ client })) },
)

/** A cancel comes from the test, at the end of the steps. */
const stop: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<readonly Step[]>([]) },
  { weight: 1, arbitrary: fc.constant<readonly Step[]>([{ hang: true }]) },
  { weight: 1, arbitrary: ask.map((asked) => [{ ...asked, answer: 'cancel the run' as const }]) },
)

const more = fc.record(
  {
    usage: fc.oneof(
      fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
      fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat(), costUsd: fc.constantFrom(0, 0.25) }),
    ),
    structured: fc.jsonValue({ maxDepth: 2 }),
    denied: fc.array(
      fc.record({
        title: words,
        kind: fc.constantFrom('edit', 'read'),
        flag: fc.constant('--permission allow'),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
)

/** What a provider can't throw without being cancelled is left out: its ending is no error on the wire. */
const CODES = Object.keys(ERROR_CATALOG).filter((code) => code !== 'CANCELLED') as ErrorCode[]

const end: fc.Arbitrary<End> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          { ended: 'completed' },
          { ended: 'completed' },
          { ended: 'empty' },
          { ended: 'refused' },
          { ended: 'cancelled' },
          { ended: 'truncated', category: 'max_tokens' },
          { ended: 'truncated', category: 'max_turns' },
          { ended: 'truncated', category: 'budget' },
        ),
        more,
      )
      .map(([ended, rest]) => merged(ended, rest) as TurnOutcome),
  },
  { weight: 1, arbitrary: fc.record({ fails: fc.constantFrom(...CODES), message: words }) },
  { weight: 1, arbitrary: words.map((throws) => ({ throws })) },
)

export const script: fc.Arbitrary<Script> = fc
  .record({ steps: fc.array(step, { maxLength: 12 }), stop, end, late: fc.array(update, { maxLength: 2 }) })
  .map(({ steps, stop: last, ...rest }) => merged({ steps: [...steps, ...last] }, rest) as Script)
