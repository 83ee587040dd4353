/** The tools of a scripted agent, and which of them a filter leaves. */
import type { ToolFilter } from '../contract/events.ts'

/** How a filter may be wrong although it is there: for tests of those who check it. */
export type FilterFlaw = 'exact-names-only' | 'at-start-only'

const OWN_TOOLS = ['Read', 'Write', 'Bash']

/** `mcp__server__Bash` is another name of `Bash`. */
const baseName = (called: string): string => called.split('__').at(-1) ?? called

export class ScriptedTools {
  readonly #filter: ToolFilter
  readonly #flaw: FilterFlaw | undefined
  readonly #registered = new Set(OWN_TOOLS)
  readonly #late = new Set<string>()

  constructor(filter: ToolFilter = {}, flaw?: FilterFlaw) {
    this.#filter = filter
    this.#flaw = flaw
  }

  add(name: string): void {
    this.#registered.add(name)
    this.#late.add(name)
  }

  names(): readonly string[] {
    return [...this.#registered].filter((name) => this.#admits(name, name))
  }

  /** Whether a call by this name, plain or qualified, may run. */
  has(called: string): boolean {
    const name = baseName(called)
    return this.#registered.has(name) && this.#admits(called, name)
  }

  #admits(called: string, name: string): boolean {
    if (this.#flaw === 'at-start-only' && this.#late.has(name)) return true
    if (this.#flaw === 'exact-names-only' && called !== name) return true
    const { allow, deny = [] } = this.#filter
    return (allow === undefined || allow.includes(name)) && !deny.includes(name)
  }
}
