/** What holds at this moment and may change: read live at each request, said again only when it changed (B2.6). */
import { Scope } from '../scope.ts'

export interface Contribution {
  readonly name: string
  /** Lower comes first; equal ones by name. */
  readonly order: number
  /** Read at each request; an empty text contributes nothing. */
  text(): string
}

export class RuntimeContext implements Disposable {
  readonly #contributions: Scope<Contribution>

  constructor(parent?: RuntimeContext) {
    this.#contributions = new Scope('runtime-context contribution', parent && parent.#contributions)
  }

  contribute(contribution: Contribution): Disposable {
    return this.#contributions.add(contribution.name, contribution)
  }

  /** The joined text as of now. */
  text(): string {
    return [...this.#contributions.all().values()]
      .toSorted((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1))
      .map((contribution) => contribution.text())
      .filter((text) => text !== '')
      .join('\n\n')
  }

  [Symbol.dispose](): void {
    this.#contributions[Symbol.dispose]()
  }
}

const OPEN = '<runtime-context>\n'
const CLOSE = '\n</runtime-context>'
const NONE = 'What an earlier runtime context said no longer holds.'

/** The statement to append, or undefined when `said`, the last one in the conversation, still holds. */
export const statementDue = (text: string, said: string | undefined): string | undefined => {
  if (text === '' && said === undefined) return undefined
  const statement = `${OPEN}${text === '' ? NONE : text}${CLOSE}`
  return statement === said ? undefined : statement
}
