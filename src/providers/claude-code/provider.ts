/** Claude Code as a provider: stream-json both ways, with its own permissions, schema, budget and sessions. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { randomUUID } from 'node:crypto'
import which from 'which'
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import type { CapabilityId } from '../../contract/capabilities.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { Logger } from '../../contract/logger.ts'
import { present } from '../../contract/present.ts'
import type { ProviderSession, SetupScope, SubagentProvider } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { Graces } from '../../process/graces.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import { commandArguments, mcpConfig } from './arguments.ts'
import { CLAUDE_ROWS, TOOL_NAMES } from './capabilities.ts'
import { CLAUDE_VARIABLES, claudeDefaults } from './environment.ts'
import { ClaudeSession } from './session.ts'

export interface ClaudeOptions {
  readonly command: readonly [string, ...string[]]
  readonly supervisor: Supervisor
  readonly log: Logger
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** From configuration and `--env`. */
  readonly env?: Readonly<Record<string, string | true>>
  readonly graces?: Partial<Graces>
}

/** It ends its tools and writes its conversation before it goes. */
const GRACES: Partial<Graces> = { eofMs: 300, termMs: 2000 }

export class ClaudeProvider implements SubagentProvider {
  readonly name: string = 'claude-code'
  readonly capabilities: SubagentCapabilities = CLAUDE_ROWS
  /** Whether its shell can be confined depends on what is installed here. */
  readonly negotiated: readonly CapabilityId[] = ['sandbox']
  readonly inheritsParentContext: boolean = false
  readonly toolNames: Readonly<Record<string, string>> = TOOL_NAMES
  readonly #options: ClaudeOptions

  constructor(options: ClaudeOptions) {
    this.#options = options
  }

  async open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession> {
    const { inherited, supervisor, log, command, graces, env: given = {} } = this.#options
    await using unwind = new AsyncDisposableStack()
    const { env, withheld } = childEnvironment({
      inherited,
      agentNames: CLAUDE_VARIABLES,
      given: { ...claudeDefaults(inherited), ...given },
      extra: setup.env,
    })
    const capabilities = this.#rows(request, env)
    const folder = await privateFolder(request, unwind)
    const [program, ...before] = command
    const nativeId = request.origin.from === 'resume' ? request.origin.nativeId : randomUUID()
    const naming = request.origin.from === 'resume' ? [] : ['--session-id', nativeId]
    const { sessionId, rootSessionId, depth, maxDepth } = request
    setup.signal.throwIfAborted()
    const process = await supervisor.spawn({
      command: program,
      args: [...before, ...commandArguments(request, folder), ...naming],
      cwd: request.cwd,
      env,
      withheld,
      given: [...Object.keys(given), ...Object.keys(setup.env)],
      owner: { sessionId, rootSessionId, depth, ...present({ maxDepth }) },
      graces: { ...GRACES, ...graces },
    })
    unwind.defer(async () => void (await process.stop()))
    const context = {
      name: this.name,
      setup,
      log,
      capabilities,
      real,
      cleanUp: () => folder.remove(),
    }
    const session = new ClaudeSession(context, process, nativeId)
    await session.initialize(setup.signal).catch((error: unknown) => {
      throw request.origin.from === 'new' ? error : notResumable(request, error)
    })
    unwind.move()
    return session
  }

  /** Without bubblewrap nothing holds its shell: the second gate refuses then. */
  #rows({ sandbox }: ResolvedStartRequest, env: Readonly<Record<string, string>>): SubagentCapabilities {
    if (sandbox !== 'workspace-write') return CLAUDE_ROWS
    const path = env['PATH'] ?? ''
    const found = ['bwrap', 'socat'].every((tool) => which.sync(tool, { nothrow: true, path }) !== null)
    return found ? CLAUDE_ROWS : { ...CLAUDE_ROWS, sandbox: 'none' }
  }
}

interface PrivateFolder {
  readonly mcpConfig?: string
  remove(): Promise<void>
}

/** MCP servers may carry secrets, and a command line can be read by anybody. */
const privateFolder = async (
  { mcpServers }: ResolvedStartRequest,
  unwind: AsyncDisposableStack,
): Promise<PrivateFolder> => {
  const config = mcpConfig(mcpServers)
  if (config === undefined) return { remove: () => Promise.resolve() }
  const folder = await mkdtemp(join(tmpdir(), 'subgate-mcp-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  unwind.defer(remove)
  const file = join(folder, 'servers.json')
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return { mcpConfig: file, remove }
}

/** The real path of what exists of a path, with the rest as it is written. */
const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(real(above), path.slice(above.length))
  }
}

/** Never a silent fresh conversation (B9.3). */
const notResumable = ({ sessionId }: ResolvedStartRequest, cause: unknown): SubagentError => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new SubagentError(
    'NOT_RESUMABLE',
    'session',
    `The session ${sessionId} can't be taken up again: ${reason} Start a new session.`,
    { sessionId, reason },
    { cause },
  )
}
