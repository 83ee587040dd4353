/**
 * A provider whose turns are data, for tests: it plays the script that it is given, or the one in the prompt.
 *
 *     const provider = scriptedProvider({ capabilities: 'all' })
 *     await runtime.start({ provider: 'scripted', prompt: playing([{ report: 'model' }]), model: 'm-1' })
 *
 * It honours each row that it claims and knows nothing of the others.
 */
import type { CapabilityId, SubagentCapabilities } from '../contract/capabilities.ts'
import { CAPABILITY_IDS } from '../capabilities/catalog.ts'
import { bounded, claims } from '../capabilities/rows.ts'
import type { ContentBlock } from '../contract/content.ts'
import type { ProviderSession, SetupScope, SubagentProvider, Turn } from '../contract/provider.ts'
import type { ResolvedStartRequest } from '../contract/request.ts'
import type { TurnOutcome } from '../contract/result.ts'
import { scriptIn } from './script-step.ts'
import type { ScriptStep } from './script-step.ts'
import { ScriptedTools } from './scripted-tools.ts'
import type { FilterFlaw } from './scripted-tools.ts'
import { ScriptedTurn } from './scripted-turn.ts'

export type { FilterFlaw } from './scripted-tools.ts'
export { playing } from './script-step.ts'
export type { Reportable, ScriptStep } from './script-step.ts'

export interface ScriptedProviderOptions {
  /** `scripted` when absent. */
  readonly name?: string
  /** Nothing when absent. */
  readonly capabilities?: 'all' | 'none' | Partial<SubagentCapabilities>
  readonly negotiated?: readonly CapabilityId[]
  /** What the handshake shows of the negotiated rows; as declared when absent. */
  readonly revealed?: Partial<SubagentCapabilities>
  /** The turn's steps; without it the prompt's text is the script. */
  readonly script?: (request: ResolvedStartRequest) => readonly ScriptStep[]
  /** How long its set-up takes. */
  readonly openMs?: number
  readonly flaw?: FilterFlaw
}

/** What a test may look at. */
export interface ScriptedProvider extends SubagentProvider {
  /** Every request that reached `open`. */
  readonly received: readonly ResolvedStartRequest[]
  /** Sessions that are open now. */
  readonly live: number
}

const rowsOf = (claimed: ScriptedProviderOptions['capabilities']): SubagentCapabilities => {
  if (claimed === 'all')
    return claims(Object.fromEntries(CAPABILITY_IDS.map((id) => [id, 'native' as const])))
  return claims(claimed === 'none' ? {} : claimed)
}

export const scriptedProvider = (options: ScriptedProviderOptions = {}): ScriptedProvider => {
  const { name = 'scripted', negotiated = [], openMs = 0 } = options
  const capabilities = rowsOf(options.capabilities)
  const received: ResolvedStartRequest[] = []
  const sessions = new Set<ScriptedSession>()
  const memories = new Map<string, string[]>()
  return {
    name,
    capabilities,
    negotiated,
    inheritsParentContext: false,
    received,
    get live() {
      return sessions.size
    },
    async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
      received.push(request)
      if (openMs > 0) await pause(openMs, setup.signal)
      setup.signal.throwIfAborted()
      const { nativeId, memory } = conversation(request, memories)
      const rows = bounded(capabilities, options.revealed ?? {})
      const session: ScriptedSession = new ScriptedSession(options, request, rows, nativeId, memory, () =>
        sessions.delete(session),
      )
      sessions.add(session)
      return session
    },
  }
}

/** The conversation that the request takes up, a copy of one, or a new one. */
const conversation = (
  { origin, sessionId }: ResolvedStartRequest,
  memories: Map<string, string[]>,
): { readonly nativeId: string; readonly memory: string[] } => {
  const nativeId = origin.from === 'resume' ? origin.nativeId : `native-${sessionId}`
  const known = origin.from === 'new' ? [] : (memories.get(origin.nativeId) ?? [])
  const memory = origin.from === 'resume' ? known : [...known]
  memories.set(nativeId, memory)
  return { nativeId, memory }
}

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}

class ScriptedSession implements ProviderSession {
  readonly capabilities: SubagentCapabilities
  readonly nativeId: string
  readonly steer?: (content: readonly ContentBlock[]) => Promise<void>
  readonly #options: ScriptedProviderOptions
  readonly #memory: string[]
  readonly #tools: ScriptedTools
  readonly #closed: () => void
  #heard = Promise.withResolvers<string>()
  #usable = true

  constructor(
    options: ScriptedProviderOptions,
    request: ResolvedStartRequest,
    capabilities: SubagentCapabilities,
    nativeId: string,
    memory: string[],
    closed: () => void,
  ) {
    this.capabilities = capabilities
    this.nativeId = nativeId
    this.#options = options
    this.#memory = memory
    this.#tools = new ScriptedTools(request.toolFilter ?? request.preset?.tools, options.flaw)
    this.#closed = closed
    if (capabilities.steer !== 'none') this.steer = (content) => this.#hearing(content)
  }

  get usable(): boolean {
    return this.#usable
  }

  prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome> {
    const played = new ScriptedTurn({
      turn,
      content,
      capabilities: this.capabilities,
      tools: this.#tools,
      memory: this.#memory,
      hear: async () => {
        const words = await this.#heard.promise
        this.#heard = Promise.withResolvers()
        return words
      },
      die: () => {
        this.#usable = false
      },
    })
    return played.play(this.#options.script?.(turn.request) ?? scriptIn(content))
  }

  async #hearing(content: readonly ContentBlock[]): Promise<void> {
    this.#heard.resolve(content.map((block) => (block.type === 'text' ? block.text : '')).join(''))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#usable = false
    this.#closed()
  }
}
