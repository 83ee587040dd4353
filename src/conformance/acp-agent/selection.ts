/** Which requirements a caller wants: some by id, or those that words fit, with `and`, `or` and `not`. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import { closest } from '../../contract/parse.ts'
import { ACP_REQUIREMENTS } from './requirements.ts'

export interface Selectable {
  readonly id: string
  readonly title: string
}

export type Selection = (requirement: Selectable) => boolean

/** Every id must be one of the table. */
export const onlyIds = (ids: readonly string[]): Selection => {
  const known = ACP_REQUIREMENTS.map(({ id }) => id)
  for (const id of ids) {
    if (known.includes(id)) continue
    const suggestion = closest(id, known)
    const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
    throw new SubagentError(
      'INVALID_REQUEST',
      'request',
      `No requirement has the id "${id}".${hint} docs/conformance.md lists them.`,
      { field: '--only', ...(suggestion !== undefined && { suggestion }) },
    )
  }
  return ({ id }) => ids.includes(id)
}

/** `load or resume`, `cancel and not close`: each word may stand anywhere in the id or the title. */
export const byWords = (expression: string): Selection => {
  const choices = expression
    .toLowerCase()
    .split(/\s+or\s+/u)
    .map((choice) => choice.split(/\s+and\s+/u).map((term) => term.trim()))
  return ({ id, title }) => {
    const text = `${id} ${title}`.toLowerCase()
    const holds = (term: string): boolean =>
      term.startsWith('not ') ? !text.includes(term.slice(4).trim()) : text.includes(term)
    return choices.some((terms) => terms.every(holds))
  }
}

export const allOf =
  (selections: readonly Selection[]): Selection =>
  (requirement) =>
    selections.every((selection) => selection(requirement))
