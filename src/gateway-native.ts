/** Providers that run in processes of their own: each known agent by its own interface, all others over ACP. */
import { join } from 'node:path'
import { rememberedAnswers, rememberedOffers } from './capabilities/remembered.ts'
import type { Config, ProviderConfig } from './config/config.ts'
import type { Logger } from './contract/logger.ts'
import { present } from './contract/present.ts'
import { printable } from './contract/printable.ts'
import type { SubagentProvider } from './contract/provider.ts'
import type { PermissionPolicy } from './contract/request.ts'
import type { SignIn } from './contract/sign-in.ts'
import type { Supervisor } from './process/supervisor.ts'
import { GATEWAY_PROGRAM, KNOWN_AGENTS, knownByProgram, programName } from './providers/acp/agents.ts'
import { AcpProvider } from './providers/acp/provider.ts'
import type { AcpProviderOptions } from './providers/acp/provider-options.ts'
import { CLAUDE_VARIABLES } from './providers/claude-code/environment.ts'
import { nativeProgram as nativeClaude } from './providers/claude-code/program.ts'
import { ClaudeProvider } from './providers/claude-code/provider.ts'
import { SIGN_IN as CLAUDE_SIGN_IN } from './providers/claude-code/sign-in.ts'
import { CODEX_VARIABLES } from './providers/codex/environment.ts'
import { nativeProgram } from './providers/codex/program.ts'
import { CodexProvider } from './providers/codex/provider.ts'
import { SIGN_IN as CODEX_SIGN_IN } from './providers/codex/sign-in.ts'
import { VERSION } from './version.ts'

export type CommandLine = readonly [string, ...string[]]

/** What every provider with a process needs of its gateway. */
export interface ProcessPlace {
  readonly supervisor: Supervisor
  readonly stateDir: string
  readonly log: Logger
  readonly inherited: Readonly<Record<string, string | undefined>>
  /** Variables for every agent, as `--env` gives them. */
  readonly agentEnv: Readonly<Record<string, string | true>>
  /** The policy of configuration, where an agent has none of its own. */
  readonly permission?: PermissionPolicy
  /** What people call an ad-hoc command. */
  readonly title?: string
}

export type ProcessProvider = SubagentProvider & Partial<AsyncDisposable>

type Build = (command: CommandLine, config: ProviderConfig, place: ProcessPlace) => ProcessProvider

const codex: Build = ([program, ...args], config, place) => {
  const { supervisor, stateDir, log, inherited, agentEnv } = place
  const { env, graces, warm, permission = place.permission } = config
  return new CodexProvider({
    command: [nativeProgram(program, inherited['PATH']), ...args],
    version: VERSION,
    supervisor,
    log,
    inherited,
    env: { ...env, ...agentEnv },
    offers: rememberedOffers(join(stateDir, 'answers')),
    ...present({ graces, warm, permission }),
  })
}

/** Kept is the process of a session that is kept: it can't change its conversation. */
const claude: Build = ([program, ...args], config, place) => {
  const { supervisor, stateDir, log, inherited, agentEnv } = place
  const { env, graces, warm, permission = place.permission } = config
  return new ClaudeProvider({
    command: [nativeClaude(program, inherited['PATH']), ...args],
    supervisor,
    log,
    inherited,
    env: { ...env, ...agentEnv },
    offers: rememberedOffers(join(stateDir, 'answers')),
    ...present({ graces, warm, permission }),
  })
}

/** An agent with an interface of its own. */
export interface NativeAgent {
  readonly build: Build
  readonly signIn: SignIn
  /** Names of its own variables. */
  readonly variables: readonly string[]
  /** The program behind the one that was found. */
  readonly program: (program: string, path?: string) => string
}

/** By provider name. */
export const NATIVE: Readonly<Record<string, NativeAgent>> = {
  codex: {
    build: codex,
    signIn: CODEX_SIGN_IN,
    variables: CODEX_VARIABLES,
    program: nativeProgram,
  },
  'claude-code': {
    build: claude,
    signIn: CLAUDE_SIGN_IN,
    variables: CLAUDE_VARIABLES,
    program: nativeClaude,
  },
}

/** A command line under a name; one that is an adapter's is spoken to over ACP, whatever its name. */
export const processProvider = (
  name: string,
  command: CommandLine,
  config: ProviderConfig,
  place: ProcessPlace,
): ProcessProvider => {
  const known = knownByProgram(command)
  const native = known === undefined || known.native === true ? NATIVE[name] : undefined
  if (native !== undefined) return native.build(command, config, place)
  return acp(name, command, known ?? KNOWN_AGENTS.find((agent) => agent.name === name), config, place)
}

/** Of a known agent under its own name: under another one it may be one of several. */
const peopleName = (name: string): string | undefined =>
  KNOWN_AGENTS.find((agent) => agent.name === name)?.title

const acp = (
  name: string,
  command: CommandLine,
  known: AcpProviderOptions['known'],
  { asks, fs, terminal, graces, env, warm }: ProviderConfig,
  { supervisor, stateDir, log, inherited, agentEnv, title }: ProcessPlace,
): AcpProvider =>
  new AcpProvider({
    name,
    command,
    version: VERSION,
    supervisor,
    answers: rememberedAnswers(join(stateDir, 'answers')),
    offers: rememberedOffers(join(stateDir, 'answers')),
    log,
    inherited,
    env: { ...env, ...agentEnv },
    gateway: command.slice(0, 2).some((word) => programName(word) === GATEWAY_PROGRAM),
    methods: present({ read: fs?.read, write: fs?.write, terminal }) as NonNullable<
      AcpProviderOptions['methods']
    >,
    ...present({ known, asks, graces, warm, title: title ?? peopleName(name) }),
  })

/** Keys that are understood but that nothing here acts on, one line each: so that nobody relies on them. */
export const inertKeys = ({ providers }: Config): readonly string[] =>
  Object.entries(providers).flatMap(([name, { module, warm, asks, fs, terminal }]) => {
    const native = NATIVE[name]
    const said = (key: string, why: string): string =>
      printable(`providers.${name}.${key} doesn't count: ${why}`)
    const own = native === undefined ? [] : Object.keys(present({ asks, fs, terminal }))
    return [
      ...(warm === true && module !== undefined
        ? [said('warm', 'a module keeps its processes as it likes.')]
        : []),
      ...own.map((key) => said(key, 'this agent is driven by its own interface, which has no such thing.')),
    ]
  })
