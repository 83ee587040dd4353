/** What policy rejected in one turn before anybody was asked, for the run's result (B4.1, B10.3). */
import type { ApprovalAsked, ApprovalDecided } from '../../contract/events.ts'
import type { Denial } from '../../contract/result.ts'

/** A delegated agent asks only for what its sandbox forbids; that is its parent's to widen, by another delegation. */
const FLAG = '--sandbox danger-full-access'

export class Denials {
  readonly list: Denial[] = []
  readonly #asked = new Map<string, ApprovalAsked>()

  note(event: ApprovalAsked | ApprovalDecided): void {
    if (event.type === 'approval/asked') {
      this.#asked.set(event.id, event)
      return
    }
    const asked = this.#asked.get(event.id)
    this.#asked.delete(event.id)
    if (asked === undefined || event.decision !== 'rejected' || event.by !== 'policy') return
    this.list.push({ title: asked.title, kind: asked.kind, flag: FLAG })
  }
}
