/** `subgate trust`: lets this project's `.subgate/` do more than choose and narrow, as it stands now. */
import { readFileSync } from 'node:fs'
import { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'

export interface TrustFlags {
  readonly remove?: true
  readonly list?: true
}

export const trustCommand = async ({ remove, list }: TrustFlags, io: Io): Promise<number> => {
  await using gateway = await Gateway.create({ cwd: io.cwd, env: io.env })
  if (list === true) {
    for (const { path } of gateway.trust.list()) io.stdout.write(`${path}\n`)
    return 0
  }
  const { project } = gateway.loaded
  if (project === undefined) {
    io.say('There is no .subgate/config.json here or above; nothing needs trust.')
    return 0
  }
  if (remove === true) {
    const was = gateway.trust.untrust(project.file)
    io.say(was ? `${project.file} is no longer trusted.` : `${project.file} was not trusted.`)
    return 0
  }
  gateway.trust.trust(project.file, readFileSync(project.file, 'utf8'))
  io.say(`${project.file} is trusted as it stands now. A changed file is asked about again.`)
  return 0
}
