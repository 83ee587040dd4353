/** Which agents here a person can sign in to, and by which command: each agent's own, for the program that is run here. */
import type { Config } from './config/config.ts'
import { present } from './contract/present.ts'
import type { SignIn, SignInWay } from './contract/sign-in.ts'
import { NATIVE } from './gateway-native.ts'
import { KNOWN_AGENTS, knownByProgram, programName } from './providers/acp/agents.ts'
import type { KnownAgent } from './providers/acp/agents.ts'
import type { FoundAgent } from './providers/acp/discover.ts'

export interface SignInCommand extends SignInWay {
  readonly command: readonly [string, ...string[]]
  /** Names of the agent's own variables, and what configuration sets for it. */
  readonly names: readonly string[]
  readonly given: Readonly<Record<string, string | true>>
  readonly note?: string
}

export interface SignInPlace {
  readonly config: Pick<Config, 'providers'>
  readonly agents: readonly FoundAgent[]
  readonly path: string | undefined
}

interface Launch {
  readonly name: string
  readonly line: readonly [string, ...string[]]
  readonly known: KnownAgent | undefined
}

/** Installed and configured agents whose sign-in is known. */
export const signInCommands = (place: SignInPlace): readonly SignInCommand[] =>
  launches(place).flatMap((launch) => commandOf(launch, place) ?? [])

/** Installed agents first, as people know them. */
const launches = ({ config, agents }: SignInPlace): readonly Launch[] => {
  const configured = Object.entries(config.providers).flatMap(([name, { command }]): Launch[] => {
    const [program, ...args] = command ?? []
    if (program === undefined) return []
    const line = [program, ...args] as const
    return [{ name, line, known: knownByProgram(line) ?? KNOWN_AGENTS.find((agent) => agent.name === name) }]
  })
  const taken = new Set(
    Object.entries(config.providers).flatMap(([name, { command, module }]) =>
      command === undefined && module === undefined ? [] : [name],
    ),
  )
  const installed = agents.flatMap(({ agent, program }): Launch[] =>
    program === undefined || taken.has(agent.name)
      ? []
      : [{ name: agent.name, line: [program, ...agent.args], known: agent }],
  )
  return [...installed, ...configured]
}

const commandOf = (
  { name, line, known }: Launch,
  { config, path }: SignInPlace,
): SignInCommand | undefined => {
  if (known === undefined) return undefined
  const native = known.native === true ? NATIVE[known.name] : undefined
  const signIn: SignIn | undefined = native?.signIn ?? known.signIn
  if (signIn === undefined) return undefined
  const [program, ...before] = starter(line, known, signIn)
  return {
    provider: name,
    title: known.title,
    command: [native?.program(program, path) ?? program, ...before, ...signIn.args],
    names: native?.variables ?? known.variables ?? [],
    given: config.providers[name]?.env ?? {},
    ...present({ note: signIn.note }),
  }
}

/** The words up to the agent's program, so that an interpreter before it stays; what makes it an agent goes. */
const starter = (
  line: readonly [string, ...string[]],
  { program, args }: KnownAgent,
  signIn: SignIn,
): readonly [string, ...string[]] => {
  if (signIn.program !== undefined) return [signIn.program]
  const [first, ...rest] = line
  const at = line.findIndex((word) => programName(word) === program)
  if (at >= 0) return [first, ...rest.slice(0, at)]
  const isTail = args.length > 0 && args.every((word, index) => rest.at(index - args.length) === word)
  return [first, ...(isTail ? rest.slice(0, rest.length - args.length) : rest)]
}
