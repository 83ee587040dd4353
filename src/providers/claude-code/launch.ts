/** Starts a process of Claude Code for one conversation, with what may be secret in a file of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RememberedOffers } from '../../capabilities/remembered.ts'
import type { Logger } from '../../contract/logger.ts'
import { ownerOf } from '../../contract/process-record.ts'
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import { childEnvironment } from '../../process/environment.ts'
import type { Graces } from '../../process/graces.ts'
import type { SupervisedProcess } from '../../process/supervised.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import { conversationArguments, sessionArguments, turnArguments } from './arguments.ts'
import type { Conversation } from './arguments.ts'
import { CLAUDE_VARIABLES, claudeDefaults } from './environment.ts'
import { mcpConfig } from './mcp-config.ts'

export interface ClaudeOptions {
  readonly command: readonly [string, ...string[]]
  readonly supervisor: Supervisor
  readonly log: Logger
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** From configuration and `--env`. */
  readonly env?: Readonly<Record<string, string | true>>
  readonly graces?: Partial<Graces>
  /** The agent's configured policy: as binding as a caller's. */
  readonly permission?: PermissionPolicy
  /** Off: a kept session has a process only during its turns. */
  readonly warm?: boolean
  /** Milliseconds that the process of a kept session waits for its next turn. */
  readonly idleMs?: number
  /** Its models, as it named them when it was last started. */
  readonly offers?: RememberedOffers
}

/** A fresh process takes the conversation up where one had to go. */
export const IDLE_MS: number = 10 * 60_000

/** It ends its tools and writes its conversation before it goes. */
const GRACES: Partial<Graces> = { eofMs: 300, termMs: 2000 }

export const environmentFor = (
  { inherited, env: given = {} }: ClaudeOptions,
  own: Readonly<Record<string, string>>,
): ReturnType<typeof childEnvironment> =>
  childEnvironment({
    inherited,
    agentNames: CLAUDE_VARIABLES,
    given: { ...claudeDefaults(inherited), ...given },
    extra: own,
  })

export interface Launched {
  readonly process: SupervisedProcess
  /** Once it has read them: takes what lies on disk for it away. */
  readonly cleanUp: () => Promise<void>
}

interface Standing {
  readonly opened: ResolvedStartRequest
  readonly request: ResolvedStartRequest
  readonly attended: boolean
}

/** `opened` is what the session stands for, `request` what the next turn asks; `attended`: a person takes forms. */
export const launch = async (
  options: ClaudeOptions,
  own: Readonly<Record<string, string>>,
  conversation: Conversation,
  { opened, request, attended }: Standing,
): Promise<Launched> => {
  const { command, supervisor, graces, permission, env: given = {} } = options
  const [program, ...before] = command
  const { env, withheld } = environmentFor(options, own)
  const { cwd } = opened
  await using unwind = new AsyncDisposableStack()
  const servers = await privateFile(opened)
  unwind.defer(servers.remove)
  const process = await supervisor.spawn({
    command: program,
    args: [
      ...before,
      ...sessionArguments(opened, servers.file, attended),
      ...turnArguments(request, permission),
      ...conversationArguments(conversation),
    ],
    cwd,
    env,
    withheld,
    given: [...Object.keys(given), ...Object.keys(own)],
    owner: ownerOf(opened),
    graces: { ...GRACES, ...graces },
  })
  unwind.move()
  return { process, cleanUp: servers.remove }
}

/** MCP servers may carry secrets, and a command line can be read by anybody. */
const privateFile = async ({
  mcpServers,
}: ResolvedStartRequest): Promise<{ readonly file?: string; readonly remove: () => Promise<void> }> => {
  const config = mcpConfig(mcpServers)
  if (config === undefined) return { remove: () => Promise.resolve() }
  const folder = await mkdtemp(join(tmpdir(), 'subgate-mcp-'))
  const file = join(folder, 'servers.json')
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  } catch (error) {
    await remove()
    throw error
  }
  return { file, remove }
}
