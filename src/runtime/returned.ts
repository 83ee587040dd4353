/** Messages that no run takes go back: each is delivered as what it is, with a notice to whoever sent it. */
import type { SubagentError } from '../contract/errors.ts'
import type { Letter } from '../contract/letters.ts'
import { present } from '../contract/present.ts'
import { LetterTaken } from '../sessions/letter-taken.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { Together } from '../sessions/store.ts'

export interface Return {
  readonly status: 'failed' | 'cancelled'
  readonly error: SubagentError
}

type Message = Extract<Letter, { kind: 'message' }>

/** A person has no mailbox, and reads it in the log. */
const noticeTo = (
  { from: sender }: Message,
  { header: { id: from, label } }: SessionLog,
  { status, error: { code, message, category } }: Return,
  at: number,
): Together => {
  if (sender === undefined) return {}
  const text = `${code}: ${message}`
  const said = { kind: 'settled', status, text, ...present({ category, label }) } as const
  return { post: [{ to: sender, from, at, ...said }] }
}

export const returnMessages = (
  log: SessionLog,
  letters: readonly Letter[],
  back: Return,
  at: number,
): void => {
  for (const letter of letters) {
    if (letter.kind !== 'message') continue
    try {
      const together = { deliver: [letter.id], ...noticeTo(letter, log, back, at) }
      log.append({ type: 'letter/received', letter }, undefined, { together })
    } catch (error) {
      if (error instanceof LetterTaken) continue
      throw error
    }
    if (letter.from !== undefined) continue
    const title = 'A message was not given to the agent.'
    log.append({ type: 'notice', severity: 'warning', title, detail: back.error.message })
  }
}
