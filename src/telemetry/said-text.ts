/** What an agent has said in a turn, one text for each stretch between tool calls; bounded. */
import { isUpdate } from '../contract/content.ts'
import type { SessionUpdate } from '../contract/content.ts'

const MOST = 65_536

export class SaidText {
  readonly #texts: string[] = []
  #left = MOST
  #goesOn = false

  get texts(): readonly string[] {
    return this.#texts
  }

  hear(update: SessionUpdate): void {
    if (!isUpdate(update, 'agent_message_chunk') || update.content?.type !== 'text') return
    const piece = update.content.text.slice(0, this.#left)
    if (piece === '') return
    this.#left -= piece.length
    const before = this.#goesOn ? (this.#texts.pop() ?? '') : ''
    this.#texts.push(before + piece)
    this.#goesOn = true
  }

  /** What comes next is another text. */
  pause(): void {
    this.#goesOn = false
  }
}
