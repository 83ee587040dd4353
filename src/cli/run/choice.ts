/** Decides which provider a `run` goes to, and which of its words are the prompt. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import { closest } from '../../contract/parse.ts'

export interface ChoiceInputs {
  /** The words before `--`. */
  readonly words: readonly string[]
  /** What stands behind `--`: a command line of its own. */
  readonly command?: readonly string[]
  /** `-p NAME`. */
  readonly named?: string
  readonly defaultProvider?: string
  /** Every name that means a provider, installed or not, aliases too. */
  readonly names: readonly string[]
  /** Agents that are found here, one a program; looked for only when no other rule decides. */
  readonly found: () => readonly string[]
  /** Agents that could be installed, best known first. */
  readonly installable: () => readonly Installable[]
}

export interface Installable {
  readonly name: string
  readonly npm: string
}

export interface Choice {
  readonly provider: string
  readonly words: readonly string[]
  /** Something that the person should know of the choice. */
  readonly note?: string
}

const usage = (message: string, suggestion?: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, {
    field: 'provider',
    ...(suggestion !== undefined && { suggestion }),
  })

const BARE_WORD = /^[A-Za-z][\w-]*$/u

const quoted = (words: readonly string[]): string =>
  words.length === 0 ? '"…"' : JSON.stringify(words.join(' '))

const noAgent = (words: readonly string[], installable: readonly Installable[]): SubagentError =>
  usage(
    [
      'No agent was named and none is found here. Type one of:',
      `  subgate run ${quoted(words)} -- <command that starts an ACP agent>`,
      ...installable.map(
        ({ name, npm }) => `  npm install -g ${npm} && subgate run ${name} ${quoted(words)}`,
      ),
    ].join('\n'),
  )

const severalAgents = (words: readonly string[], found: readonly string[]): SubagentError =>
  usage(
    [
      'No agent was named and several are found here. Type one of:',
      ...found.map((name) => `  subgate run ${name} ${quoted(words)}`),
    ].join('\n'),
  )

/** Throws `INVALID_REQUEST` with the complete commands to type when there is no one choice; nothing was started. */
export const chooseProvider = ({
  words,
  command,
  named,
  defaultProvider,
  names,
  found,
  installable,
}: ChoiceInputs): Choice => {
  if (command !== undefined) {
    if (command.length === 0)
      throw usage('Behind -- stands no command. Type: subgate run "…" -- <command> [args…]')
    if (named !== undefined)
      throw usage(`Both -p ${named} and a command behind -- were given. Leave one out.`)
    return { provider: 'acp', words }
  }
  if (named !== undefined) return { provider: named, words }
  const [first, ...rest] = words
  if (first !== undefined && names.includes(first)) return { provider: first, words: rest }
  if (first !== undefined && BARE_WORD.test(first)) {
    const guess = closest(first, names)
    if (guess !== undefined) {
      throw usage(
        `"${first}" is no provider; did you mean "${guess}"? Type: subgate run ${guess} ${quoted(rest)}\nIf it is part of the prompt, quote the prompt as one word.`,
        guess,
      )
    }
  }
  if (defaultProvider !== undefined) return { provider: defaultProvider, words }
  const agents = found()
  const [only, ...others] = agents
  if (only === undefined) throw noAgent(words, installable())
  if (others.length > 0) throw severalAgents(words, agents)
  return { provider: only, words, note: `Using ${only}, the only agent found here.` }
}
