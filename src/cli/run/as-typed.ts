/** Errors that name a field of the request, told with the flag that was typed for it. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import type { RunFlags } from './arguments.ts'

const FLAGS: Readonly<Record<string, string>> = {
  cwd: '--cwd (-C)',
  additionalDirectories: '--add-dir',
  'limits.totalMs': '--timeout',
  'limits.idleMs': '--idle-timeout',
  'limits.maxTurns': '--max-turns',
  'limits.maxTokens': '--max-tokens',
  'limits.maxCostUsd': '--max-cost',
  maxDepth: '--max-depth',
  preset: '--agent',
  model: '--model',
  effort: '--effort',
  mcpServers: '--mcp-config',
  sandbox: '--sandbox',
  permission: '--permission',
  outputSchema: '--json-schema',
  label: '--label',
}

/** `additionalDirectories.0` is the flag of the whole list. */
const flagOf = (field: string): string | undefined => FLAGS[field] ?? FLAGS[field.replace(/\.\d+$/u, '')]

type Synonyms = Pick<RunFlags, 'outputSchema' | 'maxBudgetUsd' | 'session'>

/** A refused control is named by the flag that was typed, also where another one is its first name (law 1). */
const bySynonym = (message: string, { outputSchema, maxBudgetUsd, session }: Synonyms): string => {
  const typed: readonly (readonly [string | undefined, string, string])[] = [
    [outputSchema, '(--json-schema)', '(--output-schema)'],
    [maxBudgetUsd, '(--max-cost)', '(--max-budget-usd)'],
    [session, '(--resume)', '(--session)'],
  ]
  return typed.reduce(
    (words, [given, first, synonym]) => (given === undefined ? words : words.replaceAll(first, synonym)),
    message,
  )
}

/** The field that a message begins with becomes the flag; data, and every other error, stay as they are. */
export const asTyped = (error: SubagentError, flags: Synonyms = {}): SubagentError => {
  const { code, phase, message, data } = error
  if (code === 'UNSUPPORTED_CAPABILITY') {
    const named = bySynonym(message, flags)
    return named === message ? error : new SubagentError(code, phase, named, data as never, { cause: error })
  }
  if (code !== 'INVALID_REQUEST') return error
  const { field } = data as SubagentError<'INVALID_REQUEST'>['data']
  const flag = field === undefined ? undefined : flagOf(field)
  const quoted = `"${field}"`
  const [, before] = /^(Invalid request: )?"/u.exec(message) ?? []
  if (flag === undefined || !message.startsWith(`${before ?? ''}${quoted}`)) return error
  return new SubagentError(code, phase, message.replace(quoted, flag), data as never, { cause: error })
}
