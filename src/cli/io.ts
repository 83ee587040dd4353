/** What a command of the CLI has of its surroundings. */
import type { Output } from './output.ts'

export interface Io {
  readonly stdout: Output
  /** Becomes a stream when it is asked for: that takes 5 ms, and a run whose prompt is given needs none. */
  stdin(): NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** A person can answer: both the question and the reply have a terminal. */
  readonly isInteractive: boolean
  /** One line on stderr. */
  say(line: string): void
}
