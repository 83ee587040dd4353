/** Who below a chat waits for a person's answer. */
import type { Child } from './child.ts'

export class Asking {
  readonly #open = new Map<string, { readonly child: Child; readonly cancel: () => void }>()

  /** `cancel` answers the question for the person, who has stopped whoever asks. */
  begin(id: string, child: Child, cancel: () => void): void {
    child.open.add(id)
    this.#open.set(id, { child, cancel })
  }

  /** The child that goes on now, as it has no other question open. */
  end(id: string): Child | undefined {
    const child = this.#open.get(id)?.child
    if (child === undefined) return undefined
    this.#open.delete(id)
    return child.open.delete(id) && child.open.size === 0 ? child : undefined
  }

  cancelWithin(top: Child): void {
    for (const { child, cancel } of this.#open.values()) if (child.isWithin(top)) cancel()
  }
}
