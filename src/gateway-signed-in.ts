/** Which agents here nobody is signed in to, as far as files and variables show it: no process is started for it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config/config.ts'
import type { SignInTraces } from './contract/sign-in.ts'
import { NATIVE } from './gateway-native.ts'
import type { UsableAgent } from './gateway-usable.ts'
import { KNOWN_AGENTS } from './providers/acp/agents.ts'

export interface Person {
  readonly config: Pick<Config, 'providers'>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly platform: string
}

/** Those that nobody is signed in to go last; where it can't be seen, an agent stays where it is. */
export const signedInFirst = (agents: readonly UsableAgent[], person: Person): readonly UsableAgent[] => {
  const isLacking = new Map(agents.map(({ name }) => [name, lacksSignIn(name, person)]))
  return agents.toSorted((one, other) => Number(isLacking.get(one.name)) - Number(isLacking.get(other.name)))
}

const lacksSignIn = (name: string, { config, env, home, platform }: Person): boolean => {
  const known = KNOWN_AGENTS.find((agent) => agent.name === name)
  const traces = NATIVE[known?.account ?? name]?.signIn.traces ?? known?.signIn?.traces
  if (traces === undefined || traces.elsewhere.includes(platform)) return false
  const given = { ...env, ...config.providers[name]?.env }
  const { variables, folder, file, settings } = traces
  if (Object.entries(given).some(([key, value]) => isSet(value) && matches(variables, key))) return false
  const named = given[folder.variable]
  const place =
    typeof named === 'string' && named !== ''
      ? named
      : join(given['HOME'] === undefined ? home : String(given['HOME']), folder.name)
  return !existsSync(join(place, file)) && !settings.words.test(textOf(join(place, settings.file)))
}

const isSet = (value: string | true | undefined): boolean => value !== undefined && value !== ''

const matches = (names: SignInTraces['variables'], key: string): boolean =>
  names.some((name) => (name.endsWith('*') ? key.startsWith(name.slice(0, -1)) : key === name))

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
