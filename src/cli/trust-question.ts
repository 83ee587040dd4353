/** Asks the person once whether a project's configuration may do more than choose and narrow. */
import { readFileSync } from 'node:fs'
import type { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'
import { confirmed } from './yes-no.ts'

/** True when the project is trusted from now on. */
export const askForTrust = async (gateway: Gateway, io: Io): Promise<boolean> => {
  const { project } = gateway.loaded
  if (project === undefined) return false
  // What is trusted is what is spoken of here, not what stands there by the time of the answer.
  const content = readFileSync(project.file, 'utf8')
  for (const warning of gateway.warnings) io.say(warning)
  if (!(await confirmed(`Trust ${project.file} from now on?`, io))) return false
  gateway.trust.trust(project.file, content)
  return true
}
