/** Asks the person at the terminal: for a line, or a yes or no of which only a yes is one. */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Io } from './io.ts'

/** The end of the input answers nothing. */
export const asked = async (question: string, io: Pick<Io, 'stdin' | 'stderr'>): Promise<string> => {
  const lines = createInterface({ input: io.stdin(), output: io.stderr })
  // In raw mode Ctrl-C is a key; it means here what it means everywhere else.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    const answer = await Promise.race([
      lines.question(`${question} `).catch(() => ''),
      once(lines, 'close').then(() => ''),
    ])
    return answer.trim()
  } finally {
    lines.close()
  }
}

export const confirmed = async (question: string, io: Pick<Io, 'stdin' | 'stderr'>): Promise<boolean> =>
  /^y(?:es)?$/iu.test(await asked(`${question} [y/N]`, io))
