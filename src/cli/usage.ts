/** What is wrong with a command line, in our words. */
import type { Command, CommanderError } from 'commander'
import { SubagentError } from '../contract/errors.ts'
import { closest } from '../contract/parse.ts'

const usage = (message: string, data: { suggestion?: string } = {}): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, data)

/** What is wrong with the command line, as one sentence in our form. */
export const usageError = ({ message }: CommanderError, help: string): SubagentError => {
  const [, suggestion] = /\(Did you mean (?:one of )?(.+?)\?\)/su.exec(message) ?? []
  const plain = message
    .replace(/^error: /u, '')
    .replace(/\s*\(Did you mean .*/su, '')
    .replace(/\.$/u, '')
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`
  const sentence = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.${hint} See: ${help}`
  return usage(sentence, suggestion === undefined ? {} : { suggestion })
}

/** Nothing that starts with a word of its own is taken for a task: a typing error must not reach an agent. */
export const unknownCommand = (words: readonly string[], commands: readonly string[]): SubagentError => {
  const [word] = words
  if (word === undefined)
    return usage('Before -- stands no command. Type: subgate run "…" -- <command> [args…]')
  if (word.startsWith('-')) return usage(`Unknown option '${word}'. See: subgate --help`)
  const guess = closest(word, commands)
  if (guess !== undefined)
    return usage(`There is no command "${word}". Did you mean "${guess}"? See: subgate --help`, {
      suggestion: guess,
    })
  return usage(
    `There is no command "${word}". To give a task to an agent, type: subgate run ${JSON.stringify(words.join(' '))}`,
  )
}

/** The command that stands under these words; they must all mean one. */
export const commandAt = (program: Command, words: readonly string[]): Command =>
  words.reduce((above, word) => {
    const found = above.commands.find((candidate) => candidate.name() === word)
    if (found !== undefined) return found
    const known = above.commands.map((candidate) => candidate.name())
    const guess = closest(word, known)
    const hint =
      guess !== undefined
        ? `Did you mean "${guess}"?`
        : known.length > 0
          ? `There are: ${known.join(', ')}.`
          : `"${above.name()}" has none below it.`
    throw usage(`There is no command "${word}". ${hint}`, guess === undefined ? {} : { suggestion: guess })
  }, program)
