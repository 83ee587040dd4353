/** One turn of the built-in agent: model and tools in turn, until the model has nothing left to do. */
import type { LanguageModelV4, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ContentBlock } from '../contract/content.ts'
import { text } from '../contract/content.ts'
import type { ProviderEvent } from '../contract/events.ts'
import { present } from '../contract/present.ts'
import type { TurnLetters } from '../contract/provider.ts'
import type { RunLimits } from '../contract/request.ts'
import type { TurnOutcome } from '../contract/result.ts'
import { ABORTED } from './abort.ts'
import type { Approvals } from './approvals.ts'
import { attemptStep } from './attempts.ts'
import { systemClock } from './clock.ts'
import type { Clock } from './clock.ts'
import type { History } from './history.ts'
import type { PreToolHook } from './hooks.ts'
import type { Inbox } from './inbox.ts'
import { DEFAULT_RETRY } from './model-faults.ts'
import type { FaultReader, RetryPolicy } from './model-faults.ts'
import type { CostOf } from './models/cost.ts'
import { statementDue } from './prompt/runtime-context.ts'
import { Spending } from './spending.ts'
import type { RequestSettings, StepOutcome } from './step.ts'
import type { StructuredOutput } from './structured-output.ts'
import { PARALLEL_CALLS, runCalls, TOOL_GRACE_MS } from './tool-calls.ts'
import type { Workspace } from './tool-calls.ts'
import type { CompileSchema } from './tools/input-check.ts'
import type { ToolView } from './tools/registry.ts'
import { Transcript } from './transcript.ts'

export interface TurnOptions {
  readonly model: LanguageModelV4
  /** The conversation so far; the turn adds to it. */
  readonly history: History
  readonly content: readonly ContentBlock[]
  /** The system prompt; read at each request. */
  system(): string
  /** The names of its sections, for models that tell what they saw. */
  sections?(): readonly string[]
  /** The joined runtime context; read at each request. */
  context(): string
  readonly tools: ToolView
  readonly compileSchema: CompileSchema
  readonly approvals: Pick<Approvals, 'ask'>
  readonly workspace: Workspace
  readonly inbox: Inbox
  /** What children write; without it the turn waits for none. */
  readonly letters?: TurnLetters
  readonly faults: FaultReader
  readonly signal: AbortSignal
  emit(event: ProviderEvent): boolean
  drained(): Promise<void>
  newId(): string
  readonly hooks?: readonly PreToolHook[]
  readonly structured?: StructuredOutput
  readonly limits?: Pick<RunLimits, 'maxTurns' | 'maxTokens'>
  readonly settings?: RequestSettings
  readonly retry?: RetryPolicy
  readonly clock?: Clock
  readonly costOf?: CostOf
  /** Tokens that the model's context holds; without it no `usage_update` can be said. */
  readonly contextWindow?: number
  readonly parallelCalls?: number
  readonly toolGraceMs?: number
}

type Ended = Exclude<TurnOutcome['ended'], 'truncated'>
type Ending =
  | { readonly ended: Ended }
  | { readonly ended: 'truncated'; readonly category: 'max_tokens' | 'max_turns' }

const MAX_TOKENS: Ending = { ended: 'truncated', category: 'max_tokens' }
const MAX_TURNS: Ending = { ended: 'truncated', category: 'max_turns' }
const CANCELLED: Ending = { ended: 'cancelled' }

/** Resolves with how the turn ended; rejects with a `SubagentError` only when the model failed. */
export const runTurn = async (options: TurnOptions): Promise<TurnOutcome> => {
  const { inbox, structured } = options
  const transcript = new Transcript(options)
  const spending = new Spending(options.costOf)
  inbox.open()
  try {
    const ending = await play(options, transcript, spending)
    const value = ending.ended === 'completed' ? structured?.value() : undefined
    const structuredOnly = structured === undefined ? undefined : true
    return { ...ending, ...present({ usage: spending.usage, structured: value, structuredOnly }) }
  } finally {
    inbox.close()
    transcript.close('The turn ended before this call was run.')
  }
}

const play = async (options: TurnOptions, transcript: Transcript, spending: Spending): Promise<Ending> => {
  const { signal, limits } = options
  const { maxTurns = Infinity, maxTokens = Infinity } = limits ?? {}
  transcript.hear('prompt', options.content)
  for (let steps = 0; ; steps += 1) {
    if (signal.aborted) return CANCELLED
    if (steps >= maxTurns) return MAX_TURNS
    if (spending.tokens >= maxTokens) return MAX_TOKENS
    update(options, transcript)
    const step = await attemptStep({
      ...options,
      transcript,
      system: options.system(),
      sections: options.sections?.() ?? [],
      settings: options.settings ?? {},
      retry: options.retry ?? DEFAULT_RETRY,
      clock: options.clock ?? systemClock,
    })
    if (step === ABORTED) return CANCELLED
    if (step === 'context_overflow') return MAX_TOKENS
    spending.add(step.usage)
    sayUsage(options, transcript, spending, step.usage)
    const cut = cutShort(step)
    if (cut !== undefined) return cut
    if (spending.tokens > maxTokens) return MAX_TOKENS
    if (step.calls.length > 0) await work(options, transcript, step)
    else if (!(await goesOn(options, transcript))) return { ended: 'completed' }
  }
}

/** What came meanwhile enters the conversation, and the runtime context when it has changed. */
const update = (options: TurnOptions, transcript: Transcript): void => {
  for (const letter of options.letters?.read() ?? []) transcript.received(letter)
  for (const content of options.inbox.take()) transcript.hear('steer', content)
  const statement = statementDue(options.context(), options.history.context)
  if (statement !== undefined) transcript.hear('context', [text(statement)])
}

/** Waits for what is still to come; false when nothing is, and then no text slips in any more. */
const goesOn = async ({ letters, inbox, signal }: TurnOptions, transcript: Transcript): Promise<boolean> => {
  if (letters?.expected() !== true) return !inbox.closeIfEmpty()
  const enough = new AbortController()
  const next = letters.next(AbortSignal.any([signal, enough.signal]))
  await Promise.race([next, inbox.arrival()])
  enough.abort()
  // What was read meanwhile is in the log, and so it belongs to the conversation.
  const came = (await next) ?? []
  for (const letter of came) transcript.received(letter)
  return signal.aborted || came.length > 0 || !inbox.closeIfEmpty()
}

/** Calls of an answer that was cut may be cut themselves, so none of them is run. */
const cutShort = ({ finish }: StepOutcome): Ending | undefined => {
  if (finish === 'length') return MAX_TOKENS
  return finish === 'content-filter' ? { ended: 'refused' } : undefined
}

const work = (options: TurnOptions, transcript: Transcript, { calls }: StepOutcome): Promise<void> =>
  runCalls(calls, {
    ...options,
    transcript,
    hooks: options.hooks ?? [],
    clock: options.clock ?? systemClock,
    parallel: options.parallelCalls ?? PARALLEL_CALLS,
    graceMs: options.toolGraceMs ?? TOOL_GRACE_MS,
    settled: (callId, succeeded) => options.structured?.settled(callId, succeeded),
  })

const sayUsage = (
  { contextWindow: size }: TurnOptions,
  transcript: Transcript,
  { usage }: Spending,
  { inputTokens, outputTokens }: LanguageModelV4Usage,
): void => {
  if (size === undefined) return
  const used = (inputTokens.total ?? 0) + (outputTokens.total ?? 0)
  const cost = usage?.costUsd === undefined ? undefined : { amount: usage.costUsd, currency: 'USD' }
  transcript.say({ sessionUpdate: 'usage_update', used, size, ...present({ cost }) })
}
