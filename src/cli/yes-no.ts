/** Asks the person at the terminal a question of yes or no; only a yes is one. */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Io } from './io.ts'

export const confirmed = async (question: string, io: Pick<Io, 'stdin' | 'stderr'>): Promise<boolean> => {
  const lines = createInterface({ input: io.stdin, output: io.stderr })
  // In raw mode Ctrl-C is a key; it means here what it means everywhere else.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    // The end of the input answers nothing, which is a no.
    const answer = await Promise.race([
      lines.question(`${question} [y/N] `).catch(() => ''),
      once(lines, 'close').then(() => ''),
    ])
    return /^y(?:es)?$/iu.test(answer.trim())
  } finally {
    lines.close()
  }
}
