/** What is said of a file that can't be imported: where it is wrong, and how. */
import { SubagentError } from '../../contract/errors.ts'

/** A place in a file; the line is absent where the whole file is meant. */
export interface Place {
  readonly file: string
  readonly line?: number
}

export const badFile = ({ file, line }: Place, why: string, field?: string): SubagentError => {
  const where = line === undefined ? file : `${file}, line ${line}`
  const message = `${where}: ${why}. Nothing was imported.`
  return new SubagentError('INVALID_REQUEST', 'request', message, field === undefined ? {} : { field })
}
