/** A command line and an agent's words as people may see them: shortened, and without secrets (law 14). */

const LONGEST = 200
const SECRET_NAME = /key|token|secret|passw|credential|authorization/i
/** Shorter values would blank out ordinary words. */
const SHORTEST_SECRET = 6

/** The command with its arguments, quoted where needed; values of options named like secrets are masked. */
export function commandLine(command: string, args: readonly string[]): string {
  const words = [command, ...args].map((word, index, all) => {
    const before = index > 1 ? all[index - 1] : undefined
    const isValue = before !== undefined && /^--?[^=]+$/.test(before) && SECRET_NAME.test(before)
    return quoted(isValue && !word.startsWith('-') ? '***' : withoutAssignedSecret(word))
  })
  const line = words.join(' ')
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`
}

/** The text with the values of variables named like secrets replaced by their names. */
export function maskValues(text: string, env: Readonly<Record<string, string>>): string {
  let masked = text
  for (const [name, value] of Object.entries(env))
    if (SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET)
      masked = masked.replaceAll(value, () => `[${name}]`)
  return masked
}

const withoutAssignedSecret = (word: string): string => {
  const at = word.indexOf('=')
  return at > 0 && SECRET_NAME.test(word.slice(0, at)) ? `${word.slice(0, at)}=***` : word
}

const quoted = (word: string): string => (/^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word}'`)
