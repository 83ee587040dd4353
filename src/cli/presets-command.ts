/** `subgate presets`: every preset that is seen from here, with what it needs or what is wrong with it. */
import { present } from '../contract/present.ts'
import { Gateway } from '../gateway.ts'
import type { PresetListing } from '../gateway.ts'
import type { Io } from './io.ts'
import { columns } from './table.ts'

export interface PresetsFlags {
  readonly json?: true
}

export const presetsCommand = async ({ json }: PresetsFlags, io: Io): Promise<number> => {
  await using gateway = await Gateway.create({ cwd: io.cwd, env: io.env })
  const all = await gateway.presets.list(io.cwd)
  if (json === true) io.stdout.json({ type: 'presets', presets: all.map(documentOf) })
  else io.stdout.write(textOf(all))
  return 0
}

const documentOf = ({
  name,
  level,
  file,
  description,
  needs,
  overridden,
  withheld,
  error,
}: PresetListing): object =>
  present({ name, level, file, description, needs, overridden, withheld, error: error?.toJSON() })

const NONE = `No preset is seen from here. A preset is a Markdown file with front matter, in .subgate/agents/ of a
project or agents/ of your configuration; docs/presets.md says more.
`

const textOf = (all: readonly PresetListing[]): string => {
  if (all.length === 0) return NONE
  const rows = all
    .filter(({ error }) => error === undefined)
    .map(({ name, file, needs, overridden }) => [
      name,
      file ?? 'in code',
      overridden
        ? 'overridden by a nearer one'
        : needs.length === 0
          ? 'needs nothing'
          : `needs ${needs.join(', ')}`,
    ])
  const faults = all.flatMap(({ error }) => (error === undefined ? [] : [`${error.message}\n`]))
  const leftOut = all.flatMap(({ file, withheld }) =>
    withheld.map(
      ({ key, reason }) =>
        `${key} in ${file} doesn't count: ${reason}. Trust the project with: subgate trust\n`,
    ),
  )
  return [columns(rows), ...faults, ...leftOut].filter((part) => part !== '').join('')
}
