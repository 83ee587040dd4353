/** Entry `subgate/provider`: makes a provider of any function, and has the types that an author needs. */
import { claims } from './capabilities/rows.ts'
import type { SubagentCapabilities } from './contract/capabilities.ts'
import type { ContentBlock } from './contract/content.ts'
import { SubagentError } from './contract/errors.ts'
import type { ProviderSession, SubagentProvider, Turn } from './contract/provider.ts'
import type { ResolvedStartRequest } from './contract/request.ts'
import type { TurnOutcome } from './contract/result.ts'

export { claims } from './capabilities/rows.ts'
export type { CapabilityId, SubagentCapabilities, Support } from './contract/capabilities.ts'
export type { ClientAnswer, ClientCall, ClientMethod, ClientOffer, SessionClient } from './contract/client.ts'
export type {
  ContentBlock,
  McpServer,
  PermissionOption,
  PermissionOutcome,
  SessionUpdate,
  ToolCallUpdate,
  ToolKind,
} from './contract/content.ts'
export type { AgentChoice, AgentOffer, OfferedValue } from './contract/offer.ts'
export { SubagentError } from './contract/errors.ts'
export type { ErrorCode, ErrorDataByCode, ErrorPhase } from './contract/errors.ts'
export type { Notice, ProviderEvent, SetupEvent, ToolFilter } from './contract/events.ts'
export type {
  DelegatedAgents,
  Delegation,
  KeptAgent,
  KeptAgents,
  PermissionQuestion,
  ProviderSession,
  ProviderSettings,
  SetupScope,
  SubagentProvider,
  Turn,
  TurnLetters,
} from './contract/provider.ts'
export type {
  PermissionPolicy,
  Preset,
  ResolvedStartRequest,
  RunLimits,
  SandboxMode,
} from './contract/request.ts'
export type { Letter } from './contract/letters.ts'
export type { TurnOutcome, Usage } from './contract/result.ts'

/** What is to be done: the prompt, and the controls that the provider claims. */
export interface Task {
  /** The prompt's text blocks, joined. */
  readonly text: string
  readonly prompt: readonly ContentBlock[]
  readonly cwd: string
  /** Everything that was asked for, after all checks. */
  readonly request: ResolvedStartRequest
}

/** The turn that the function plays; `signal` aborts when the run is cancelled. */
export interface FunctionTurn extends Turn {
  /** Streams text; what is streamed is part of the answer. */
  say(text: string): void
}

export interface ProviderDefinition {
  readonly name: string
  /** Everything is `none` until it is claimed here. */
  readonly capabilities?: Partial<SubagentCapabilities>
  /** What it can't take although it claims the rows: throws a refusal, before anything happens, also on a dry run. */
  check?(request: ResolvedStartRequest): void
  /**
   * One turn. A string is said; without one the turn ends with what was streamed. Whatever it throws after a
   * cancel is part of the cancel; otherwise it is a fault.
   */
  run(task: Task, turn: FunctionTurn): Promise<string | TurnOutcome | void> | string | TurnOutcome | void
  /** With the `steer` row: text for the running turn. */
  steer?(content: readonly ContentBlock[], request: ResolvedStartRequest): Promise<void> | void
  /** Called once for each agent, when it is done with. */
  close?(request: ResolvedStartRequest): Promise<void> | void
}

/** Makes any function a provider. */
export const defineProvider = (definition: ProviderDefinition): SubagentProvider => {
  const { name } = definition
  const capabilities = claims(definition.capabilities)
  if (name === '') throw invalid('name', 'A provider was defined without a name. Give it one.')
  if ((capabilities.steer !== 'none') !== (definition.steer !== undefined)) {
    throw invalid(
      'steer',
      `The provider "${name}" must both claim "steer" and have a steer function, or neither.`,
    )
  }
  return {
    name,
    capabilities,
    negotiated: [],
    inheritsParentContext: false,
    ...(definition.check !== undefined && { check: (request) => definition.check?.(request) }),
    open: async (request, { signal }) => {
      signal.throwIfAborted()
      return sessionOf(definition, capabilities, request)
    },
  }
}

const invalid = (field: string, message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field })

const sessionOf = (
  definition: ProviderDefinition,
  capabilities: SubagentCapabilities,
  request: ResolvedStartRequest,
): ProviderSession => {
  const { origin, sessionId } = request
  let closing: Promise<void> | undefined
  return {
    capabilities,
    // Its conversation is found again by the id under which it began.
    nativeId: origin.from === 'resume' ? origin.nativeId : sessionId,
    get usable() {
      return closing === undefined
    },
    prompt: (content, turn) => play(definition, content, turn),
    ...(definition.steer !== undefined && {
      steer: async (content) => definition.steer?.(content, request),
    }),
    [Symbol.asyncDispose]: () => {
      closing ??= Promise.try(() => definition.close?.(request))
      return closing
    },
  }
}

const textOf = (content: readonly ContentBlock[]): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

const speaking = (turn: Turn): FunctionTurn => ({
  request: turn.request,
  signal: turn.signal,
  delegation: turn.delegation,
  emit: (event, bytes) => turn.emit(event, bytes),
  drained: () => turn.drained(),
  requestPermission: (question) => turn.requestPermission(question),
  letters: turn.letters,
  say: (text) => {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } as const
    turn.emit({ type: 'session/update', update })
  },
})

const play = async (
  definition: ProviderDefinition,
  prompt: readonly ContentBlock[],
  turn: Turn,
): Promise<TurnOutcome> => {
  const { request, signal } = turn
  const own = speaking(turn)
  try {
    const task = { text: textOf(prompt), prompt, cwd: request.cwd, request }
    const answer = await definition.run(task, own)
    if (signal.aborted) return { ended: 'cancelled' }
    if (typeof answer === 'object') return answer
    if (answer !== undefined && answer !== '') own.say(answer)
    return { ended: 'completed' }
  } catch (error) {
    if (signal.aborted) return { ended: 'cancelled' }
    throw error
  }
}
