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
    const told = { ...turn, request: ignoring(turn.request, this.#row), ...(this.#row === 'permissions' && ACTS) }
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
    return allow === undefined
      ? { outcome: 'cancelled' }
      : { outcome: 'selected', optionId: allow.optionId }
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

/** The request as an agent sees it that knows nothing of the row. */
const ignoring = (request: ResolvedStartRequest, row: CapabilityId): ResolvedStartRequest => {
  switch (row) {
    case 'depthLimit':
      return { ...drop(request, 'maxDepth'), requested: drop(request.requested, 'maxDepth') }
    case 'persona':
      return presetWithout(drop(request, 'persona'), 'instructions')
    case 'toolFilter':
      return presetWithout(drop(request, 'toolFilter'), 'tools')
    case 'model':
    case 'effort':
    case 'sandbox':
    case 'outputSchema':
      return { ...drop(request, row), requested: drop(request.requested, row) }
    case 'images':
    case 'audio':
    case 'resources':
      return { ...request, prompt: without(request.prompt, row) }
    case 'additionalDirectories':
    case 'mcpServers':
      return { ...request, [row]: [] }
    case 'resume':
    case 'fork':
      return request.origin.from === row ? { ...request, origin: { from: 'new' } } : request
    case 'maxTurns':
    case 'maxTokens':
    case 'maxCostUsd':
      return { ...request, limits: drop(request.limits, row) }
    case 'permissions':
    case 'steer':
      return request
  }
}
