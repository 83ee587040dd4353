/** Claude Code as a provider: stream-json both ways, with its own permissions, schema, budget and sessions. */
import { randomUUID } from 'node:crypto'
import which from 'which'
import { commandKey } from '../../capabilities/remembered.ts'
import type { CapabilityId, SubagentCapabilities } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { AgentOffer } from '../../contract/offer.ts'
import { ownerOf } from '../../contract/process-record.ts'
import type { ProviderSession, SetupScope, SubagentProvider } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { Conversation } from './arguments.ts'
import { CLAUDE_ROWS } from './capabilities.ts'
import { messageOf } from './content.ts'
import { environmentFor, IDLE_MS, launch } from './launch.ts'
import type { ClaudeOptions } from './launch.ts'
import { mcpConfig } from './mcp-config.ts'
import { refuseConflict } from './policy.ts'
import { takesForms } from './questionnaire.ts'

export type { ClaudeOptions } from './launch.ts'

export class ClaudeProvider implements SubagentProvider {
  readonly name: string = 'claude-code'
  readonly title: string = 'Claude Code'
  readonly capabilities: SubagentCapabilities = CLAUDE_ROWS
  /** Whether its shell can be confined depends on what is installed here. */
  readonly negotiated: readonly CapabilityId[] = ['sandbox']
  readonly inheritsParentContext: boolean = false
  readonly #options: ClaudeOptions

  constructor(options: ClaudeOptions) {
    this.#options = options
  }

  /** Known from an earlier start: none is made for it. */
  offer(): AgentOffer {
    return this.#options.offers?.recall(this.#key) ?? {}
  }

  async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    const { log, permission, supervisor, warm = true, idleMs = IDLE_MS } = this.#options
    // What can't be said to it at all is refused before anything is started.
    refuseConflict(request)
    messageOf(request.prompt)
    mcpConfig(request.mcpServers)
    const { env } = environmentFor(this.#options, setup.env)
    if (request.sandbox === 'workspace-write' && !canConfine(env['PATH'])) return UNCONFINED
    const context = {
      name: this.name,
      setup,
      opened: request,
      configured: permission,
      launch: (conversation: Conversation, next: ResolvedStartRequest) =>
        launch(this.#options, setup.env, conversation, {
          opened: request,
          request: next,
          attended: takesForms(setup.client),
        }),
      warm,
      idleMs,
      host: (pid: number, working: boolean) => supervisor.host(pid, working ? [ownerOf(request)] : []),
      offers: (offer: AgentOffer) => this.#learnt(offer),
      noise: (text: string) => log.debug({ agent: this.name, text }, 'a line that is no JSON'),
    }
    // Loaded when it is needed: most gateways never start one.
    const { ClaudeSession } = await import('./session.ts')
    return ClaudeSession.open(context, conversationOf(request)).catch((error: unknown) => {
      throw isLostConversation(request, error) ? notResumable(request, error) : error
    })
  }

  #learnt(offer: AgentOffer): AgentOffer {
    const whole = { ...this.offer(), ...offer }
    this.#options.offers?.remember(this.#key, whole)
    return whole
  }

  /** Its models are those of an account, which is where it is told to keep it. */
  get #key(): string | undefined {
    const { command, inherited, env = {} } = this.#options
    const [program, ...args] = command
    const place = [inherited['CLAUDE_CONFIG_DIR'], inherited['ANTHROPIC_BASE_URL'], env]
    return commandKey(program, [], process.cwd(), ['models', args, place])
  }
}

/** Without these nothing holds its shell. */
const canConfine = (path: string = ''): boolean =>
  process.platform !== 'linux' ||
  ['bwrap', 'socat'].every((tool) => which.sync(tool, { nothrow: true, path }) !== null)

/** For the second gate, which refuses by it and says what else could. Nothing was started. */
const UNCONFINED: ProviderSession = {
  capabilities: { ...CLAUDE_ROWS, sandbox: 'none' },
  usable: false,
  prompt: () => Promise.reject(new Error('Nothing was started.')),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

const conversationOf = ({ origin }: ResolvedStartRequest): Conversation => {
  switch (origin.from) {
    case 'new':
      return { from: 'new', id: randomUUID() }
    case 'resume':
      return { from: 'resume', id: origin.nativeId }
    case 'fork':
      return { from: 'fork', of: origin.nativeId, id: randomUUID() }
  }
}

const LOST = /no conversation found/iu

/** It says so and exits, before anybody has asked it something. */
const isLostConversation = (
  { origin }: ResolvedStartRequest,
  error: unknown,
): error is SubagentError<'AGENT_EXITED'> =>
  origin.from !== 'new' &&
  SubagentError.is(error) &&
  error.code === 'AGENT_EXITED' &&
  LOST.test(`${error.message} ${'stderr' in error.data ? error.data.stderr : ''}`)

/** Never a silent fresh conversation (B9.3). */
const notResumable = ({ sessionId }: ResolvedStartRequest, cause: SubagentError): SubagentError =>
  new SubagentError(
    'NOT_RESUMABLE',
    'session',
    `The session ${sessionId} can't be taken up again: Claude Code has no such conversation any more. Start a new session.`,
    { sessionId, reason: cause.message },
    { cause },
  )
