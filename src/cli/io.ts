/** What a command of the CLI has of its surroundings. */
import type { Output } from './output.ts'

export interface Io {
  readonly stdout: Output
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** One line on stderr. */
  say(line: string): void
}
