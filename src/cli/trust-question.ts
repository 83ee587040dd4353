/** Asks the person once whether a project's configuration may do more than choose and narrow. */
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Gateway } from '../gateway.ts'
import type { Io } from './io.ts'

/** True when the project is trusted from now on. */
export const askForTrust = async (gateway: Gateway, io: Io): Promise<boolean> => {
  const { project } = gateway.loaded
  if (project === undefined) return false
  // What is trusted is what is spoken of here, not what stands there by the time of the answer.
  const content = readFileSync(project.file, 'utf8')
  for (const warning of gateway.warnings) io.say(warning)
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  // In raw mode Ctrl-C is a key; it means here what it means everywhere else.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    // The end of the input answers nothing, which is a no.
    const answer = await Promise.race([
      lines.question(`Trust ${project.file} from now on? [y/N] `).catch(() => ''),
      once(lines, 'close').then(() => ''),
    ])
    if (!/^y(?:es)?$/iu.test(answer.trim())) return false
    gateway.trust.trust(project.file, content)
    return true
  } finally {
    lines.close()
  }
}
