/** The tool with which a model delegates, bound by configuration to one provider (B2.5, B2.6, B12.1, B12.2). */
import { text } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { JsonObject } from '../contract/json.ts'
import { present } from '../contract/present.ts'
import type { Delegation, DelegationOptions } from '../contract/provider.ts'
import { answerOf, atCap, describe, inBackgroundWords } from './delegation-words.ts'
import type { Contribution } from './prompt/runtime-context.ts'
import type { Tool, ToolContext, ToolResult } from './tools/tool.ts'

/** Background children of one owner at a time. */
export const BACKGROUND_CAP = 8

const AFTER_POLICIES = 121

export interface DelegationBinding {
  /** What the model calls it; `subagent` when it has only one. */
  readonly name: string
  readonly provider: string
  /** The operator's number: a cap of the tree. `provider-managed` sends none. */
  readonly maxDepth?: number | 'provider-managed'
  /** False suppresses the notice at the cap, never the guard. */
  readonly includeRuntimeContext?: boolean
}

export interface DelegationPorts {
  readonly delegation: Delegation
  readonly background: Background
}

/** What all delegation tools of one agent count together. */
export interface Background {
  /** Background children whose first run is on its way, or open. */
  open: number
}

export interface MountedDelegation {
  readonly tool: Tool
  /** Runtime context at the cap. */
  readonly notice?: Contribution
}

const INPUT: JsonObject = {
  type: 'object',
  properties: {
    description: { type: 'string', minLength: 1, description: 'The task in three to six words, for people.' },
    prompt: { type: 'string', minLength: 1, description: 'The whole task for the subagent.' },
    run_in_background: {
      type: 'boolean',
      description: 'Go on meanwhile: the answer comes as a message, and the subagent stays for more.',
    },
  },
  required: ['description', 'prompt'],
  additionalProperties: false,
}

const refuse = (name: string, message: string): never => {
  throw new SubagentError('INVALID_CONFIG', 'resolve', message, { key: `tools.${name}.maxDepth` })
}

/** Throws when the provider is unknown, or can't be held to a numeric limit. */
export const mountDelegation = (binding: DelegationBinding, ports: DelegationPorts): MountedDelegation => {
  const { name, maxDepth, includeRuntimeContext = true } = binding
  const provider = ports.delegation.provider(binding.provider)
  if (provider === undefined) {
    throw new SubagentError(
      'PROVIDER_NOT_FOUND',
      'resolve',
      `The tool ${name} delegates to "${binding.provider}", but no provider has this name here. ` +
        `Correct tools.${name}.provider.`,
      { provider: binding.provider, known: [] },
    )
  }
  const number = maxDepth === 'provider-managed' ? undefined : maxDepth
  if (number !== undefined && (!Number.isSafeInteger(number) || number < 0 || Object.is(number, -0)))
    refuse(name, `tools.${name}.maxDepth must be a whole number from 0, or "provider-managed".`)
  if (number !== undefined && provider.capabilities.depthLimit === 'none') {
    throw new SubagentError(
      'UNSUPPORTED_CAPABILITY',
      'gate',
      `tools.${name}.maxDepth is ${number}, but ${provider.name} can't be held to a depth limit. ` +
        `Set it to "provider-managed" if that agent's own deployment bounds recursion.`,
      {
        provider: provider.name,
        missing: ['depthLimit'],
        fields: [`tools.${name}.maxDepth`],
        alternatives: [],
      },
    )
  }
  const tool: Tool = {
    name,
    kind: 'other',
    family: 'delegation',
    description: describe({
      provider: provider.name,
      inheritsParentContext: provider.inheritsParentContext,
      background: BACKGROUND_CAP,
      ...present({ maxDepth: number }),
    }),
    inputSchema: INPUT,
    title: (input) => (input as unknown as Input).description,
    run: (input, context) =>
      delegate(input, context, binding.provider, present({ operatorMaxDepth: number }), ports),
  }
  if (!includeRuntimeContext) return { tool }
  const notice: Contribution = {
    name: `${name}:depth`,
    order: AFTER_POLICIES,
    text: () => {
      const { current, cap = Infinity } = ports.delegation.depth(present({ operatorMaxDepth: number }))
      return current >= cap ? atCap(name, current) : ''
    },
  }
  return { tool, notice }
}

interface Input {
  readonly description: string
  readonly prompt: string
  readonly run_in_background?: boolean
}

const delegate = async (
  input: JsonObject,
  context: ToolContext,
  provider: string,
  operator: OperatorNumber,
  ports: DelegationPorts,
): Promise<ToolResult> => {
  const { description, prompt, run_in_background: background } = input as unknown as Input
  const request = { provider, prompt: [text(prompt)], label: description }
  if (background === true) return inBackground(request, context, operator, ports)
  try {
    const { signal, callId: toolCallId } = context
    const run = await ports.delegation.start(request, { ...operator, signal, toolCallId })
    const result = await run.result
    const answer = await context.outputs.fit(answerOf(result))
    return result.status === 'completed' ? { text: answer } : failed(answer)
  } catch (error) {
    return notStarted(error)
  }
}

/** The operator's number goes beside the request: what a request asks for is bounded by the host setting (B2.4). */
type OperatorNumber = Pick<DelegationOptions, 'operatorMaxDepth'>

type ChildRequest = Parameters<Delegation['start']>[0] & { readonly label: string }

const inBackground = async (
  request: ChildRequest,
  { signal, callId: toolCallId }: ToolContext,
  operator: OperatorNumber,
  { delegation, background }: DelegationPorts,
): Promise<ToolResult> => {
  if (Math.max(delegation.agents.atWork(), background.open) >= BACKGROUND_CAP) {
    return failed(
      `${BACKGROUND_CAP} subagents run in the background already. Wait for one, or leave run_in_background out.`,
    )
  }
  background.open += 1
  const settled = (): void => void (background.open -= 1)
  // The call's own signal ends with the call, and the child must not; a cancel reaches it through the runtime.
  const starting = new AbortController()
  const abort = (): void => starting.abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    const options = { ...operator, signal: starting.signal, toolCallId }
    const { sessionId, result } = await delegation.start({ ...request, keep: true }, options)
    void result.then(settled)
    return { text: inBackgroundWords(sessionId) }
  } catch (error) {
    settled()
    return notStarted(error)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

const failed = (words: string): ToolResult => ({ text: words, isError: true })

const notStarted = (error: unknown): ToolResult => {
  const said = SubagentError.is(error) ? `${error.code}: ${error.message}` : String(error)
  return failed(`No subagent was started. ${said}`)
}
