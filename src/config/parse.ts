/** Reads one configuration file, and says what is wrong when it doesn't fit. */
import { SubagentError } from '../contract/errors.ts'
import { complaint } from '../contract/parse.ts'
import type { PartialConfig } from './config.ts'
import { configSchema } from './schema.ts'
import { jsonFault } from './json-text.ts'
import { keysUnder, rowOf } from './keys.ts'
import { printable } from '../contract/printable.ts'

export const invalidConfig = (
  file: string,
  message: string,
  data: { readonly key?: string; readonly suggestion?: string } = {},
): SubagentError<'INVALID_CONFIG'> =>
  new SubagentError('INVALID_CONFIG', 'request', printable(`Invalid configuration in ${file}: ${message}`), {
    file,
    ...data,
  })

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // The engine's own message quotes the text around the fault.
    const { line, column, expected } = jsonFault(text) ?? { line: 1, column: 1, expected: 'JSON' }
    throw invalidConfig(file, `line ${line}, column ${column}: this is no JSON; expected ${expected} there.`)
  }
}

/** Reads the text of one file. No message quotes a value. */
export const parseConfig = (file: string, text: string): PartialConfig => {
  const parsed = configSchema().safeParse(parseJson(file, text.replace(/^\uFEFF/, '')))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const at = (issue?.path ?? []).map(String)
  const known = keysUnder(at)
  const { path, message, suggestion } = complaint(parsed.error, known)
  const row = rowOf(at)
  const advice =
    suggestion !== undefined
      ? `Did you mean "${suggestion}"?`
      : issue?.code === 'unrecognized_keys' && known.length > 0
        ? `Known keys here: ${known.join(', ')}.`
        : row === undefined
          ? 'Correct it there.'
          : `It takes ${row.takes}.`
  const where = path === '' || message.includes(path) ? '' : `"${path}": `
  throw invalidConfig(file, `${where}${message}. ${advice}`, {
    ...(path !== '' && { key: path }),
    ...(suggestion !== undefined && { suggestion }),
  })
}
