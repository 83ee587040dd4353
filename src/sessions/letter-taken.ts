/** Thrown at who delivers a letter that was delivered before: it is in one log alone (B11.2). */
import type { LetterId } from '../contract/letters.ts'

export class LetterTaken extends Error {
  override readonly name = 'LetterTaken'

  constructor(letter: LetterId) {
    super(`Letter ${letter} was delivered before, or is for another session.`)
  }
}
