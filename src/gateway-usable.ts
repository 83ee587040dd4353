/** The agents that can start here without further words, by the names that people know them by, and the last chosen. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BuiltInState } from './built-in-state.ts'
import type { Config } from './config/config.ts'
import { isRecord } from './contract/json.ts'
import { KNOWN_AGENTS } from './providers/acp/agents.ts'
import type { FoundAgent } from './providers/acp/discover.ts'

export interface UsableAgent {
  readonly name: string
  readonly title: string
}

/** Configured and installed agents, one a program. */
export const foundNames = (
  { providers }: Pick<Config, 'providers'>,
  agents: readonly FoundAgent[],
): readonly string[] => {
  /** A bare word is what is found on PATH under it. */
  const pathOf = (word: string): string => agents.find(({ agent }) => agent.program === word)?.program ?? word
  const configured = Object.entries(providers).flatMap(([name, { command, module }]) => {
    const [word, ...args] = command ?? []
    if (module !== undefined) return [{ name, line: module }]
    return word === undefined ? [] : [{ name, line: [pathOf(word), ...args].join('\0') }]
  })
  const installed = agents.flatMap(({ agent: { name, args }, program }) =>
    program === undefined || configured.some((own) => own.name === name)
      ? []
      : [{ name, line: [program, ...args].join('\0') }],
  )
  // The name that was configured goes before another one of the same program.
  const preferred = installed.toSorted(
    (one, other) => Number(Object.hasOwn(providers, other.name)) - Number(Object.hasOwn(providers, one.name)),
  )
  const names = new Map<string, string>()
  for (const { name, line } of [...configured, ...preferred]) if (!names.has(line)) names.set(line, name)
  return [...names.values()]
}

/** Built-in ones first: they are usable only where somebody has named a model for them. */
export const usableAgents = (
  config: Pick<Config, 'providers'>,
  agents: readonly FoundAgent[],
  builtIn: readonly BuiltInState[],
  has: (name: string) => boolean,
): readonly UsableAgent[] => {
  const own = builtIn.filter(({ usable }) => usable).map(({ name, title }) => ({ name, title }))
  const found = foundNames(config, agents)
    .filter((name) => own.every((agent) => agent.name !== name))
    .map((name) => ({ name, title: KNOWN_AGENTS.find((known) => known.name === name)?.title ?? name }))
  return [...own, ...found].filter(({ name }) => has(name))
}

/** The agent that a person chose last, in whatever process. Losing it costs one choice, so faults of the disk are passed over. */
export class LastAgent {
  readonly #file: string

  constructor(stateDir: string) {
    this.#file = join(stateDir, 'last-agent.json')
  }

  get name(): string | undefined {
    try {
      const read: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      return isRecord(read) && typeof read['agent'] === 'string' ? read['agent'] : undefined
    } catch {
      return undefined
    }
  }

  remember(agent: string): void {
    if (this.name === agent) return
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      const fresh = `${this.#file}.${process.pid}`
      writeFileSync(fresh, JSON.stringify({ agent }), { mode: 0o600 })
      renameSync(fresh, this.#file)
    } catch {
      // A read-only or full disk.
    }
  }
}
