/** `subgate login`: an agent's own sign-in, in this terminal; an editor starts it as the sign-in that it was offered. */
import { SubagentError } from '../contract/errors.ts'
import { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'
import { requireInstalled } from './run/names.ts'
import { columns } from './table.ts'
import { asked } from './yes-no.ts'

type Way = ReturnType<Gateway['signIns']>[number]

/** Resolves with the exit code of the agent's program. */
export const loginCommand = async (provider: string | undefined, io: Io): Promise<number> => {
  await using gateway = await Gateway.create({ cwd: io.cwd, env: io.env })
  const way = provider === undefined ? await chosen(gateway, io) : wayOf(provider, gateway)
  io.say(`Signing in to ${way.title}: ${way.command.join(' ')}`)
  if (way.note !== undefined) io.say(way.note)
  return gateway.signIn(way)
}

const wayOf = (name: string, gateway: Gateway): Way => {
  const canonical = gateway.runtime.providers.find(name)?.provider.name ?? name
  const way = gateway.signIns().find((candidate) => candidate.provider === canonical)
  if (way !== undefined) return way
  requireInstalled(name, gateway)
  const { provider } = gateway.runtime.providers.get(name)
  const program = gateway.agents().find(({ agent }) => agent.name === provider.name)?.agent.program
  const how =
    program === undefined
      ? 'It works with keys from the environment: subgate providers says what it needs.'
      : `Run ${program} by itself and sign in there, or pass its key with --env NAME.`
  throw usage(`No sign-in of ${provider.name} is known here. ${how}`)
}

const usage = (message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field: 'provider' })

/** The only one, or the one whose number or name the person types. */
const chosen = async (gateway: Gateway, io: Io): Promise<Way> => {
  const ways = gateway.signIns()
  const [first] = ways
  if (first === undefined)
    throw usage(
      'No agent that a person can sign in to is installed here. subgate providers shows how to get one.',
    )
  if (ways.length === 1) return first
  if (!io.isInteractive)
    throw usage(
      ['Several agents are here. Type one of:', ...ways.map((way) => `  subgate login ${way.provider}`)].join(
        '\n',
      ),
    )
  io.say(columns(ways.map(({ title, provider }, index) => [String(index + 1), title, provider])).trimEnd())
  const answer = await asked(`Sign in to which? [1-${ways.length}]`, io)
  const way = ways.find(({ provider }, index) => answer === provider || answer === String(index + 1))
  if (way !== undefined) return way
  throw usage(
    answer === ''
      ? 'No agent was chosen.'
      : `"${answer}" is none of them. Type a number of 1 to ${ways.length}.`,
  )
}
