/** `subgate config show`: which files count, and each key with its value and layer, secrets masked. */
import { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'

export const configShowCommand = async ({ json }: { readonly json?: true }, io: Io): Promise<number> => {
  await using gateway = await Gateway.create({ cwd: io.cwd, env: io.env })
  const { document, text } = gateway.configuration()
  if (json === true) io.stdout.json(document)
  else io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  for (const line of [...gateway.warnings, ...gateway.notes]) io.say(line)
  return 0
}
