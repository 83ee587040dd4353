/** `subgate trust`: lets this project's `.subgate/` and presets do more than choose and narrow, as they stand now. */
import { existsSync, readFileSync } from 'node:fs'
import { openConfiguration } from '../gateway.ts'
import type { Io } from './io.ts'

export interface TrustFlags {
  readonly remove?: true
  readonly list?: true
}

export const trustCommand = async ({ remove, list }: TrustFlags, io: Io): Promise<number> => {
  const { loaded, trust, presets, faults } = openConfiguration({ cwd: io.cwd, env: io.env })
  if (list === true) {
    for (const { path } of trust.list()) io.stdout.write(`${path}\n`)
    return 0
  }
  const { project } = loaded
  const files = new Set([
    ...(project === undefined ? [] : [project.file]),
    ...(await presets.projects(io.cwd)),
  ])
  if (files.size === 0)
    io.say('There is no .subgate/config.json and no preset here or above; nothing needs trust.')
  for (const file of files) {
    if (remove === true) {
      const was = trust.untrust(file)
      io.say(was ? `${file} is no longer trusted.` : `${file} was not trusted.`)
      continue
    }
    trust.trust(file, existsSync(file) ? readFileSync(file, 'utf8') : undefined)
    io.say(
      `${file} is trusted as it stands now, with the presets beside it. A changed file is asked about again.`,
    )
  }
  if (remove !== true) for (const { message } of faults) io.say(message)
  return 0
}
