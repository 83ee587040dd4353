/** Liars: providers that advertise a capability and ignore it, each of which a conformance check must catch. */
import type { CapabilityId } from '../contract/capabilities.ts'
import type { ContentBlock } from '../contract/content.ts'
import type { ProviderSession, SetupScope, SubagentProvider, Turn } from '../contract/provider.ts'
import type { Preset, ResolvedStartRequest } from '../contract/request.ts'
import type { TurnOutcome } from '../contract/result.ts'
import { scriptedProvider } from './scripted-provider.ts'

/** A provider that claims `row` and behaves as if nobody had asked for it; otherwise it is the truthful one. */
export const lyingProvider = (
  row: CapabilityId,
  truthful: SubagentProvider = scriptedProvider({ capabilities: 'all' }),
): SubagentProvider => ({
  name: truthful.name,
  capabilities: truthful.capabilities,
  negotiated: truthful.negotiated,
  inheritsParentContext: truthful.inheritsParentContext,
  open: async (request, setup) => {
    const ignorant = ignoring(request, row)
    const session = await truthful.open(ignorant, setup)
    return new LyingSession(row, session, () => truthful.open(ignorant, setup), setup)
  },
})

class LyingSession implements ProviderSession {
  readonly #row: CapabilityId
  readonly #reopen: () => Promise<ProviderSession>
  readonly #setup: SetupScope
  readonly #sessions: ProviderSession[]
  #turns = 0

  constructor(
    row: CapabilityId,
    session: ProviderSession,
    reopen: () => Promise<ProviderSession>,
    setup: SetupScope,
  ) {
    this.#row = row
    this.#sessions = [session]
    this.#reopen = reopen
    this.#setup = setup
  }

  get #session(): ProviderSession {
    return this.#sessions.at(-1) as ProviderSession
  }

  get capabilities(): ProviderSession['capabilities'] {
    return this.#session.capabilities
  }

  get nativeId(): string | undefined {
    return this.#session.nativeId
  }

  get usable(): boolean {
    return this.#session.usable
  }

  async prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome> {
    this.#turns += 1
    // Without a memory every turn is the first of its conversation.
    if (this.#row === 'resume' && this.#turns > 1 && !this.#setup.signal.aborted) {
      this.#sessions.push(await this.#reopen())
    }
    const told = {
      ...turn,
      request: ignoring(turn.request, this.#row),
      ...(this.#row === 'permissions' && ACTS),
    }
    return this.#session.prompt(without(content, this.#row), told)
  }

  async steer(content: readonly ContentBlock[]): Promise<void> {
    if (this.#row !== 'steer') await this.#session.steer?.(content)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) await session[Symbol.asyncDispose]()
  }
}

/** Acts without asking anybody. */
const ACTS: Pick<Turn, 'requestPermission'> = {
  requestPermission: async ({ options }) => {
    const allow = options.find(({ kind }) => kind === 'allow_once')
    return allow === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: allow.optionId }
  },
}

const BLOCKS: { readonly [Id in CapabilityId]?: ContentBlock['type'] } = {
  images: 'image',
  audio: 'audio',
  resources: 'resource',
}

const without = (content: readonly ContentBlock[], row: CapabilityId): readonly ContentBlock[] =>
  content.filter(({ type }) => type !== BLOCKS[row])

const drop = <T extends object>(value: T, ...keys: readonly (keyof T)[]): T =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key as keyof T))) as T

const presetWithout = (request: ResolvedStartRequest, part: keyof Preset): ResolvedStartRequest =>
  request.preset === undefined ? request : { ...request, preset: drop(request.preset, part) }

type Ignorance = (request: ResolvedStartRequest) => ResolvedStartRequest

const field =
  (name: 'model' | 'effort' | 'sandbox' | 'outputSchema' | 'maxDepth'): Ignorance =>
  (request) => ({ ...drop(request, name), requested: drop(request.requested, name) })
const blocks =
  (row: CapabilityId): Ignorance =>
  (request) => ({ ...request, prompt: without(request.prompt, row) })
const limit =
  (name: keyof ResolvedStartRequest['limits']): Ignorance =>
  (request) => ({ ...request, limits: drop(request.limits, name) })
const origin =
  (from: 'resume' | 'fork'): Ignorance =>
  (request) =>
    request.origin.from === from ? { ...request, origin: { from: 'new' } } : request

const IGNORING: { readonly [Id in CapabilityId]: Ignorance } = {
  depthLimit: field('maxDepth'),
  persona: (request) => presetWithout(drop(request, 'persona'), 'instructions'),
  toolFilter: (request) => presetWithout(drop(request, 'toolFilter'), 'tools'),
  model: field('model'),
  effort: field('effort'),
  sandbox: field('sandbox'),
  outputSchema: field('outputSchema'),
  images: blocks('images'),
  audio: blocks('audio'),
  resources: blocks('resources'),
  additionalDirectories: (request) => ({ ...request, additionalDirectories: [] }),
  mcpServers: (request) => ({ ...request, mcpServers: [] }),
  resume: origin('resume'),
  fork: origin('fork'),
  maxTurns: limit('maxTurns'),
  maxTokens: limit('maxTokens'),
  maxCostUsd: limit('maxCostUsd'),
  // The lie is in the turn, not in the request.
  permissions: (request) => request,
  steer: (request) => request,
}

/** The request as an agent sees it that knows nothing of the row. */
const ignoring = (request: ResolvedStartRequest, row: CapabilityId): ResolvedStartRequest =>
  IGNORING[row](request)
