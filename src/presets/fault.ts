/** The error of a preset file: it names the file, and the line and key where there is one. */
import { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import { printable } from '../contract/printable.ts'

export interface Place {
  readonly line?: number
  readonly key?: string
  readonly suggestion?: string
}

export const invalidPreset = (
  file: string,
  { line, key, suggestion }: Place,
  message: string,
): SubagentError<'INVALID_CONFIG'> => {
  const where = line === undefined ? file : `${file}, line ${line}`
  return new SubagentError('INVALID_CONFIG', 'resolve', printable(`Invalid preset in ${where}: ${message}`), {
    file,
    ...present({ key, suggestion }),
  })
}
