/** Bare `subgate`: what is here, and what to type next. */
import type { Io } from './io.ts'

export const homeCommand = async (io: Io): Promise<number> => {
  io.stdout.write('')
  return 0
}
