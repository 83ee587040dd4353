/** Claude Code's own slash commands, as an editor may offer them. Pure. */
import type { AvailableCommand } from '@agentclientprotocol/sdk/unstable'
import { isRecord } from '../../contract/json.ts'

/** They would need its terminal, or begin another conversation behind the session's back. */
const NOT_HERE: ReadonlySet<string> = new Set(['clear', 'login', 'logout'])

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\S+$/u.test(value) && !NOT_HERE.has(value) ? value : undefined

const words = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).flatMap((each) => word(each) ?? [])

/** As its greeting lists them, and whatever says that they have changed. */
export const commandsIn = (said: unknown): readonly AvailableCommand[] | undefined => {
  const listed: unknown = isRecord(said) ? said['commands'] : undefined
  if (!Array.isArray(listed)) return undefined
  return listed.filter(isRecord).flatMap((each): AvailableCommand[] => {
    const name = word(each['name'])
    const { description, argumentHint: hint } = each
    if (name === undefined) return []
    return [
      {
        name,
        description: typeof description === 'string' ? description : name,
        ...(typeof hint === 'string' && hint !== '' && { input: { hint } }),
      },
    ]
  })
}

/**
 * What there is once it has written this line; undefined: as before. Each turn begins with the names alone, without
 * those that its terminal needs.
 */
export const commandsAfter = (
  line: Readonly<Record<string, unknown>>,
  before: readonly AvailableCommand[] = [],
): readonly AvailableCommand[] | undefined => {
  const { type, subtype, slash_commands: all, terminal_slash_commands: terminal } = line
  if (type !== 'system') return undefined
  if (subtype === 'commands_changed') return commandsIn(line)
  if (subtype !== 'init' || !Array.isArray(all)) return undefined
  const hidden = words(terminal)
  const names = new Set(words(all).filter((name) => !hidden.includes(name)))
  const known = before.filter(({ name }) => names.has(name))
  const fresh = [...names].filter((name) => known.every((command) => command.name !== name))
  if (fresh.length === 0 && known.length === before.length) return undefined
  return [...known, ...fresh.map((name) => ({ name, description: name }))]
}
