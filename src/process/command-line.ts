/** A command line and an agent's words as people may see them: shortened, and without secrets (law 14). */
import { maskArgs, SECRET_NAME } from '../contract/secrets.ts'

const LONGEST = 200
/** Nothing behind it is shown, so it needn't be looked through. */
const LONGEST_WORD = 2000
/** Shorter values would blank out ordinary words. */
const SHORTEST_SECRET = 6

/** The command with its arguments, quoted where needed; what looks like a secret is masked. */
export function commandLine(command: string, args: readonly string[]): string {
  const words = args.map((word) => word.slice(0, LONGEST_WORD))
  const line = [command, ...maskArgs(words)].map(quoted).join(' ')
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`
}

/**
 * The text with values of variables replaced by their names: of those that are named like secrets, and of those
 * that a person gave, whatever their name. A text that was cut may show the beginning of a value as its last word.
 */
export function maskValues(
  text: string,
  env: Readonly<Record<string, string>>,
  given: readonly string[] = [],
): string {
  let masked = text
  for (const [name, value] of secrets(env, given)) {
    masked = masked.replaceAll(value, () => `[${name}]`)
    masked = withoutCutValue(masked, value, name)
  }
  return masked
}

/** The longest first: one may hold another. A value of several lines also counts by its lines. */
const secrets = (
  env: Readonly<Record<string, string>>,
  given: readonly string[],
): readonly (readonly [string, string])[] =>
  Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name) || given.includes(name))
    .flatMap(([name, value]) =>
      [...new Set([value, ...value.split('\n')])].map((part) => [name, part] as const),
    )
    .filter(([, value]) => value.trim().length >= SHORTEST_SECRET)
    .toSorted(([, one], [, other]) => other.length - one.length)

const withoutCutValue = (text: string, value: string, name: string): string => {
  if (!text.endsWith('…')) return text
  const whole = text.slice(0, -1)
  for (let length = value.length - 1; length >= SHORTEST_SECRET; length -= 1)
    if (whole.endsWith(value.slice(0, length))) return `${whole.slice(0, -length)}[${name}]…`
  return text
}

const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word}'`)
