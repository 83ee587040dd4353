/** What a command is declared with. */
import type { Command } from 'commander'
import type { Io } from './io.ts'

export interface Declaring {
  readonly program: Command
  readonly io: Io
  /** What stands behind `--`. */
  readonly command: readonly string[] | undefined
  /** Hears the exit code. */
  readonly done: (exitCode: number) => void
}
