/** `subgate providers`: what is found here and usable, or why not. */
import type { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'
import { columns } from './table.ts'

export interface ProviderListing {
  readonly name: string
  readonly title: string
  readonly usable: boolean
  /** Its program, or what is missing. */
  readonly where: string
  /** Why it can't be had, although it is configured. */
  readonly error?: SubagentError
  /** Where it stands in the list for people. */
  readonly group: 'here' | 'broken' | 'missing'
}

/** A longer command line says nothing more to a person. */
const LONGEST = 100

export const listProviders = async (gateway: Gateway): Promise<readonly ProviderListing[]> => {
  // As `config show` has it: what follows a flag that is named like a secret is masked.
  const { keys } = gateway.configuration().document
  const masked = (name: string): string => {
    const value = keys.find(({ key }) => key === `providers.${name}.command`)?.value
    const line = Array.isArray(value) ? value.map(String).join(' ') : ''
    return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`
  }
  const configured = Object.entries(gateway.loaded.config.providers)
    .filter(([, { command, module }]) => command !== undefined || module !== undefined)
    .map(([name, { module }]): ProviderListing => {
      const error = gateway.runtime.providers.fault(name)
      return {
        name,
        title: gateway.runtime.providers.find(name)?.provider.title ?? 'configured',
        usable: error === undefined,
        where: module ?? masked(name),
        group: error === undefined ? 'here' : 'broken',
        ...present({ error }),
      }
    })
  const known = gateway
    .agents()
    .filter(({ agent }) => !configured.some(({ name }) => name === agent.name))
    .map(({ agent, program }): ProviderListing => ({
      name: agent.name,
      title: agent.title,
      usable: program !== undefined,
      where: program ?? missing(agent.program, agent.npm),
      group: program === undefined ? 'missing' : 'here',
    }))
  const builtIn = (await gateway.builtIn())
    .filter(({ name }) => !configured.some((own) => own.name === name))
    .map((state): ProviderListing => ({ ...state, group: 'here' }))
  return [
    ...configured,
    ...known.filter(({ usable }) => usable),
    ...builtIn,
    ...known.filter(({ usable }) => !usable),
  ]
}

const missing = (program: string, npm: string | undefined): string =>
  npm === undefined ? `${program} is not on PATH` : `${program} is not on PATH; npm install -g ${npm}`

export interface ProvidersFlags {
  readonly json?: true
  readonly all?: true
  readonly capabilities?: true
}

export const providersCommand = async (flags: ProvidersFlags, io: Io): Promise<number> => {
  await using gateway = await Gateway.create({ cwd: io.cwd, env: io.env })
  const all = await listProviders(gateway)
  if (flags.json === true) {
    const rows = gateway.runtime.providers.all().map(({ provider }) => provider)
    const capabilities = (name: string) => rows.find((provider) => provider.name === name)?.capabilities
    io.stdout.json({
      type: 'providers',
      providers: all.map(({ name, title, usable, where, error }) =>
        present({ name, title, usable, where, error: error?.toJSON(), capabilities: capabilities(name) }),
      ),
      warm: warmProcesses(gateway),
    })
    return 0
  }
  if (flags.capabilities === true) {
    io.stdout.write(`${capabilityTable(gateway)}\n`)
    return 0
  }
  const { here = [], broken = [], missing: others = [] } = Object.groupBy(all, ({ group }) => group)
  const shown =
    flags.all === true ? others : others.filter(({ where }) => where.includes('npm install')).slice(0, 6)
  io.stdout.write(columns(here.map(({ name, title, where }) => [name, title, where])))
  if (broken.length > 0)
    io.stdout.write(`\nBroken:\n${columns(broken.map(({ name, error }) => [name, error?.message ?? '']))}`)
  if (shown.length > 0)
    io.stdout.write(
      `\nNot installed:\n${columns(shown.map(({ name, title, where }) => [name, title, where]))}`,
    )
  const hidden = others.length - shown.length
  if (hidden > 0) io.stdout.write(`${hidden} more are known: subgate providers --all\n`)
  return 0
}

/** Agent processes of this user's gateways that wait for their next session. */
const warmProcesses = (gateway: Gateway): readonly object[] =>
  gateway
    .recorded()
    .filter(({ idle }) => idle === true)
    .map(({ pid, command, sessionId, gateway: { pid: gatewayPid } }) => ({
      pid,
      command,
      lastSessionId: sessionId,
      gatewayPid,
    }))

/** What each usable provider can be asked for; `?` is decided by the agent's handshake. */
const capabilityTable = (gateway: Gateway): string => {
  const names = gateway.runtime.providers.names()
  const cell = ({ support, negotiated }: { support: string; negotiated: boolean }): string =>
    negotiated && support !== 'none' ? `${support}?` : support
  const head = ['capability', ...names]
  const rows = gateway.matrix().map(({ id, support }) => [id, ...Object.values(support).map(cell)])
  return columns([head, ...rows]).trimEnd()
}
