/** `subgate config show`: which files count, and each key with its value and layer, secrets masked. */
import { openConfiguration } from '../gateway.ts'
import { errorDocument } from './documents.ts'
import type { Io } from './io.ts'

/** What is right is shown also beside a wrong file, which is then told with the exit code of its error. */
export const configShowCommand = async ({ json }: { readonly json?: true }, io: Io): Promise<number> => {
  const configuration = openConfiguration({ cwd: io.cwd, env: io.env })
  const { notes, faults } = configuration
  const { document, text } = configuration.describe()
  if (json === true)
    io.stdout.json({
      ...document,
      ...(faults.length > 0 && { errors: faults.map((fault) => fault.toJSON()) }),
    })
  else io.stdout.write(text)
  for (const line of [...notes, ...faults.map(({ message }) => message)]) io.say(line)
  const [fault] = faults
  return fault === undefined ? 0 : errorDocument(fault).exitCode
}
