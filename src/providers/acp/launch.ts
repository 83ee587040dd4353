/** Starts an agent's process, in the environment that its session or its sharers get. */
import { ownerOf } from '../../contract/process-record.ts'
import type { Logger } from '../../contract/logger.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import type { ChildEnvironment } from '../../process/environment.ts'
import type { Graces } from '../../process/graces.ts'
import type { Supervisor } from '../../process/supervisor.ts'
import { AcpAgent } from './agent.ts'

export interface Launch {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  readonly supervisor: Supervisor
  readonly log: Logger
  readonly request: ResolvedStartRequest
  readonly environment: ChildEnvironment
  /** Names of variables whose values a person or the gateway gave. */
  readonly given: readonly string[]
  readonly graces: Partial<Graces>
  readonly shared: boolean
}

export const launch = async (options: Launch): Promise<AcpAgent> => {
  const { name, supervisor, log, request, given, graces, shared } = options
  const { env, withheld } = options.environment
  log.debug({ agent: name, withheld }, 'variables that the agent does not get')
  const [command, ...args] = options.command
  const owner = ownerOf(request)
  const spec = { command, args, cwd: request.cwd, env, withheld, given, owner, graces }
  return new AcpAgent({ name, process: await supervisor.spawn(spec), shared, log })
}
