/** `subgate acp`: serves agents to an editor over standard input and output. */
import { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import { parsePromptControls, parseSessionControls } from '../contract/request-schema.ts'
import type { PromptControls, SessionControls } from '../contract/request-schema.ts'
import { Gateway } from '../gateway.ts'
import { SIGNAL_EXITS } from './documents.ts'
import type { Io } from './io.ts'
import { ownCommand, thisProgram } from './own-command.ts'
import { environmentFlags, requestFromFlags } from './run/arguments.ts'
import type { RunFlags } from './run/arguments.ts'
import { Interrupts } from './run/interrupts.ts'

export type AcpFlags = Pick<
  RunFlags,
  | 'provider'
  | 'agent'
  | 'model'
  | 'effort'
  | 'maxTurns'
  | 'maxTokens'
  | 'maxCost'
  | 'timeout'
  | 'idleTimeout'
  | 'sandbox'
  | 'permission'
  | 'maxDepth'
  | 'env'
  | 'verbose'
>

export interface AcpInvocation {
  /** What stands behind `--`. */
  readonly command: readonly string[] | undefined
  readonly flags: AcpFlags
}

/** An editor doesn't wait longer; what is left then is ended by the watchdog (C14). */
const LEAVE_MS = 4_500

/** Resolves with the exit code when the editor has gone or a signal came, and all that was started is gone. */
export const acpCommand = async ({ command, flags }: AcpInvocation, io: Io): Promise<number> => {
  const { serveAcp } = await import('../acp/face.ts')
  const { servedAll, servedOne } = await import('../acp/served.ts')
  const { takeStdio } = await import('../acp/stdio.ts')
  const stdio = takeStdio(io.stdin())
  const interrupted = Promise.withResolvers<void>()
  let opened: Gateway | undefined
  using interrupts = new Interrupts(
    () => interrupted.resolve(),
    () => {
      opened?.abandon()
      process.exit(SIGNAL_EXITS[interrupts.received ?? 'SIGINT'])
    },
  )
  try {
    opened = await interrupts.unless(openGateway({ command, flags }, io))
  } catch (error) {
    // Nothing was started, and nobody was answered: the signal is all there is to say.
    if (interrupts.received !== undefined) return SIGNAL_EXITS[interrupts.received]
    throw error
  }
  const gateway = opened
  const named = namedAgent(gateway, { command, flags })
  const { defaultProvider } = gateway.loaded.config
  const served =
    named === undefined
      ? servedAll(gateway, canonical(gateway, defaultProvider))
      : servedOne(named, () => gateway.usable())
  if (named === undefined) await requireSome(gateway)
  const controls = controlsOf(flags, io)
  if (controls.preset !== undefined)
    for (const line of await gateway.presets.warnings(controls.preset, io.cwd)) io.say(line)
  const face = serveAcp({
    host: gateway,
    served,
    controls,
    signIn: (capabilities) => gateway.signInMethods(capabilities, ownCommand(thisProgram(io.env))),
    stream: stdio.stream,
    log: gateway.log,
  })
  process.on('uncaughtException', (error) => face.fault(error))
  process.on('unhandledRejection', (error) => face.fault(error))
  await Promise.race([face.closed, stdio.gone, interrupted.promise])
  await within(LEAVE_MS, async () => {
    await face[Symbol.asyncDispose]()
    await gateway[Symbol.asyncDispose]()
    await stdio.flushed()
  })
  return interrupts.received === undefined ? 0 : SIGNAL_EXITS[interrupts.received]
}

const openGateway = async ({ command, flags }: AcpInvocation, io: Io): Promise<Gateway> => {
  const [program, ...args] = command ?? []
  const gateway = await Gateway.create({
    cwd: io.cwd,
    env: io.env,
    agentEnv: environmentFlags(flags.env ?? []),
    // The editor has a person who can be asked.
    permission: 'ask',
    logLevel: flags.verbose === true ? 'debug' : 'warn',
    ...present({ command: program === undefined ? undefined : ([program, ...args] as const) }),
  })
  for (const line of [...gateway.warnings, ...gateway.notes]) io.say(line)
  return gateway
}

const usage = (message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field: 'provider' })

/**
 * The one that was named; undefined: all that can start here. Checked before the editor is answered: a name that means
 * nothing here is said on stderr, with exit 2.
 */
const namedAgent = (gateway: Gateway, { command, flags }: AcpInvocation): string | undefined => {
  if (command?.length === 0)
    throw usage('Behind -- stands no command. Type: subgate acp -- <command> [args…]')
  if (command !== undefined && flags.provider !== undefined)
    throw usage(`Both --provider ${flags.provider} and a command behind -- were given. Leave one out.`)
  const named = command === undefined ? flags.provider : 'acp'
  return named === undefined ? undefined : gateway.runtime.providers.get(named).provider.name
}

const canonical = (gateway: Gateway, name: string | undefined): string | undefined =>
  name === undefined ? undefined : gateway.runtime.providers.get(name).provider.name

const requireSome = async (gateway: Gateway): Promise<void> => {
  if ((await gateway.usable()).length > 0) return
  throw usage(
    'No agent was named and none is found here. Type one of:\n  subgate acp -- <command that starts an ACP agent>',
  )
}

/** Limits are for each prompt; one that brings its own goes before them. */
const controlsOf = (flags: AcpFlags, io: Io): SessionControls & Pick<PromptControls, 'limits'> => {
  const { preset, model, effort, sandbox, permission, maxDepth, limits } = requestFromFlags(flags, io.cwd)
  return {
    ...parseSessionControls(present({ preset, model, effort, sandbox, permission, maxDepth })),
    ...parsePromptControls(present({ limits })),
  }
}

const within = async (ms: number, work: () => Promise<void>): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work(), promise])
  clearTimeout(timer)
}
