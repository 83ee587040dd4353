/** What a run's two edges say: its start, what of the host's defaults doesn't apply, and its result. */
import type { ContentBlock } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { Notice, RunStarted } from '../contract/events.ts'
import type { LetterId } from '../contract/letters.ts'
import { present } from '../contract/present.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { Denial, SubagentResult, TurnOutcome } from '../contract/result.ts'
import type { ProviderSession, SubagentProvider } from '../contract/provider.ts'
import type { Verdict } from './ending.ts'
import type { Registered } from './registry.ts'

interface Begun {
  readonly letters: readonly LetterId[] | undefined
  /** The parent's. */
  readonly toolCallId: string | undefined
}

export const startedEvent = (
  { depth, maxDepth, parentSessionId, label, prompt, limits }: ResolvedStartRequest,
  { provider, settings }: Registered,
  { letters, toolCallId }: Begun,
): RunStarted => ({
  type: 'run/started',
  provider: provider.name,
  depth,
  prompt,
  ...present({ parentSessionId, label, letters, maxDepth, toolCallId }),
  ...(Object.keys(limits).length > 0 && { limits }),
  ...(settings.sandbox !== undefined && { providerManaged: ['sandbox'] }),
})

/** Defaults aren't requests: one that this agent can't be held to is said, not refused. */
export const unappliedNotice = (
  { permission, requested }: ResolvedStartRequest,
  { capabilities }: ProviderSession,
  { name, title = name }: Pick<SubagentProvider, 'name' | 'title'>,
): Notice | undefined => {
  if (capabilities.permissions !== 'none' || permission === 'allow') return undefined
  if (requested.permission !== undefined) return undefined
  return {
    type: 'notice',
    severity: 'info',
    title: `${title} decides by itself what it does: it isn't known to ask first.`,
    data: { notApplied: 'permission', value: permission },
  }
}

export type Conclusion = Pick<
  SubagentResult,
  'status' | 'category' | 'structured' | 'usage' | 'denied' | 'durationMs' | 'error'
>

/** What `run/settled` records, and the result repeats. */
export const conclusionOf = (
  { status, category, structured, error }: Verdict,
  outcome: TurnOutcome | undefined,
  denied: readonly Denial[],
  durationMs: number,
): Conclusion => ({
  status,
  ...present({ category, structured, usage: outcome?.usage }),
  denied: [...denied, ...(outcome?.denied ?? [])],
  durationMs,
  ...(error !== undefined && { error: error.toJSON() }),
})

export const resultOf = (
  { runId, sessionId, parentSessionId, depth }: ResolvedStartRequest,
  provider: string,
  text: string,
  conclusion: Conclusion,
): SubagentResult => ({
  runId,
  sessionId,
  ...present({ parentSessionId }),
  provider,
  depth,
  text,
  ...conclusion,
})

/** Hands text to the running turn, or says that this agent takes none. */
export const steerAgent = async (
  agent: ProviderSession,
  content: readonly ContentBlock[],
  provider: string,
): Promise<void> => {
  if (agent.steer === undefined || agent.capabilities.steer === 'none') throw notSteerable(provider)
  await agent.steer(content)
}

const notSteerable = (provider: string): SubagentError =>
  new SubagentError(
    'UNSUPPORTED_CAPABILITY',
    'prompt',
    `Text for the running turn was given, but ${provider} can't be steered. Wait for the turn to end.`,
    { provider, missing: ['steer'], fields: ['steer'], alternatives: [] },
  )

export const nothingRuns = (): SubagentError =>
  new SubagentError(
    'INVALID_REQUEST',
    'prompt',
    'Text for the running turn was given, but the run is over. Send it as a prompt of a new run.',
    { field: 'content' },
  )
