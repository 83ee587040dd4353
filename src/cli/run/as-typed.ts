/** Errors that name a field of the request, told with the flag that was typed for it. Pure. */
import { SubagentError } from '../../contract/errors.ts'

const FLAGS: Readonly<Record<string, string>> = {
  cwd: '--cwd (-C)',
  additionalDirectories: '--add-dir',
  'limits.totalMs': '--timeout',
  'limits.idleMs': '--idle-timeout',
  maxDepth: '--max-depth',
  preset: '--agent',
  model: '--model',
  sandbox: '--sandbox',
  permission: '--permission',
  outputSchema: '--json-schema',
  label: '--label',
}

/** `additionalDirectories.0` is the flag of the whole list. */
const flagOf = (field: string): string | undefined => FLAGS[field] ?? FLAGS[field.replace(/\.\d+$/u, '')]

/** The field that a message begins with becomes the flag; every other error stays as it is. */
export const asTyped = (error: SubagentError): SubagentError => {
  if (error.code !== 'INVALID_REQUEST') return error
  const { field, suggestion } = (error as SubagentError<'INVALID_REQUEST'>).data
  const flag = field === undefined ? undefined : flagOf(field)
  const quoted = `"${field}"`
  const [, before] = /^(Invalid request: )?"/u.exec(error.message) ?? []
  if (flag === undefined || !error.message.startsWith(`${before ?? ''}${quoted}`)) return error
  return new SubagentError(
    'INVALID_REQUEST',
    error.phase,
    error.message.replace(quoted, flag),
    { field: flag.split(' ')[0] ?? flag, ...(suggestion !== undefined && { suggestion }) },
    { cause: error },
  )
}
