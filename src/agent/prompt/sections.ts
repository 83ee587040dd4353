/** The system prompt of an agent: named, ordered sections over those of its deployment (B6, B7.5). */
import { Scope } from '../scope.ts'
import { fillTemplate } from './template.ts'
import type { Variable } from './template.ts'

/** The section that a historical persona replaces (B6.1); deployments put theirs under the same name. */
export const PERSONA_SECTION = 'deployment:persona-prefix'
export const PERSONA_ORDER = 0

export interface PromptSection {
  readonly name: string
  /** Lower comes first; equal ones by name. */
  readonly order: number
  /** A strict template. An empty one shadows what it inherits with nothing. */
  readonly text: string
}

export class PromptSections implements Disposable {
  readonly #sections: Scope<PromptSection>
  readonly #variables: Scope<Variable>

  constructor(parent?: PromptSections) {
    this.#sections = new Scope('prompt section', parent && parent.#sections)
    this.#variables = new Scope('prompt variable', parent && parent.#variables)
  }

  /** Variables come before the sections that use them. */
  variable(name: string, value: string | Variable): Disposable {
    return this.#variables.add(name, typeof value === 'string' ? () => value : value)
  }

  /** Throws at once when the template uses what isn't there. */
  section(section: PromptSection): Disposable {
    fillTemplate(section.text, this.#variables.all(), section.name)
    return this.#sections.add(section.name, section)
  }

  /** Of the sections that say something, in their order. */
  names(): readonly string[] {
    return this.#filled().map(({ name }) => name)
  }

  /** Empty sections leave no gap. */
  render(): string {
    return this.#filled()
      .map(({ text }) => text)
      .join('\n\n')
  }

  /** Its sections and variables are gone; those of its parent stand as before (B3.8). */
  [Symbol.dispose](): void {
    this.#sections[Symbol.dispose]()
    this.#variables[Symbol.dispose]()
  }

  #filled(): readonly { readonly name: string; readonly text: string }[] {
    const variables = this.#variables.all()
    return this.#ordered()
      .map(({ name, text }) => ({ name, text: fillTemplate(text, variables, name) }))
      .filter(({ text }) => text !== '')
  }

  #ordered(): readonly PromptSection[] {
    return [...this.#sections.all().values()].toSorted(
      (a, b) => a.order - b.order || (a.name < b.name ? -1 : 1),
    )
  }
}
