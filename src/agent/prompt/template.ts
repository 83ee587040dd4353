/** Strict templates: `{{name}}` against known variables; `\{{` stands for the braces themselves. Pure. */
import { SubagentError } from '../../contract/errors.ts'
import { closest } from '../../contract/parse.ts'

const PLACE = /\\\{\{|\{\{\s*([^{}]*?)\s*\}\}/gu

/** A variable's value now; undefined is an error, an empty string isn't. */
export type Variable = () => string | undefined

const refuse = (where: string, why: string, suggestion?: string): never => {
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  throw new SubagentError('INVALID_REQUEST', 'session', `The prompt section "${where}" ${why}${hint}`, {
    field: where,
    ...(suggestion !== undefined && { suggestion }),
  })
}

/** `where` names the section in messages (B6.2). */
export const fillTemplate = (
  template: string,
  variables: ReadonlyMap<string, Variable>,
  where: string,
): string =>
  template.replaceAll(PLACE, (place: string, name: string | undefined) => {
    if (name === undefined) return '{{'
    const variable = variables.get(name)
    if (variable === undefined) {
      const known = [...variables.keys()]
      const list = known.length === 0 ? 'There are none' : `The known ones are: ${known.join(', ')}`
      return refuse(where, `uses ${place}, which is no variable. ${list}.`, closest(name, known))
    }
    return variable() ?? refuse(where, `uses ${place}, which has no value here. Set it, or leave it out.`)
  })
