/** Which letters of an inbox begin the next run. Pure. */
import type { Letter } from '../contract/letters.ts'
import type { LiveSession } from './live-session.ts'

export const isKept = ({ log }: LiveSession): boolean => log.registers.descriptor?.mode === 'kept'

/** One message is one run. What children wrote is one prompt, for an agent that reads such and has a parent. */
export const nextOf = (live: LiveSession | undefined, letters: readonly Letter[]): readonly Letter[] => {
  const message = letters.find(({ kind }) => kind === 'message')
  if (message !== undefined) return [message]
  if (live?.agent?.readsLetters !== true || live.log.header.parentId === undefined) return []
  return letters.filter(({ kind }) => kind === 'report' || kind === 'settled')
}
