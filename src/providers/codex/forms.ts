/** What Codex and its servers ask a person to fill in, as ACP's elicitation, and the answers in Codex's words (C24). Pure. */
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { formAnswers, formOptions, questionForm } from '../../contract/question-form.ts'
import type { FormQuestion } from '../../contract/question-form.ts'

export interface Form {
  readonly params: JsonObject
  /** Of what the person said; undefined: nobody can be asked. */
  readonly answer: (said: JsonObject | undefined) => object
}

const str = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const serverAnswer: Form['answer'] = (said) => {
  if (said === undefined) return { action: 'decline', content: null, _meta: null }
  const { action, content } = said
  return { action: action ?? 'cancel', content: content ?? null, _meta: null }
}

/** Of an MCP server: MCP's words and ACP's are the same. Whose question it is stands before it. */
export const serverForm = (params: Record<string, unknown>): Form => {
  const { serverName, mode, message, requestedSchema, url, elicitationId } = params
  const words = [str(serverName), str(message)].filter((part) => part !== undefined).join(': ')
  const asked =
    mode === 'url'
      ? { mode, message: words, url, elicitationId }
      : { mode: 'form', message: words, requestedSchema: isRecord(requestedSchema) ? requestedSchema : {} }
  return { params: present(asked) as JsonObject, answer: serverAnswer }
}

const questionsOf = (questions: readonly unknown[]): readonly FormQuestion[] =>
  questions.filter(isRecord).flatMap(({ id, question, header, options, isOther }) =>
    typeof id === 'string'
      ? [
          {
            id,
            text: str(question) ?? id,
            title: str(header),
            options: formOptions(options),
            several: false,
            open: isOther === true,
          },
        ]
      : [],
  )

/** Of the model itself. What is secret is no matter for a form. */
export const userForm = ({ questions }: Record<string, unknown>): Form | undefined => {
  const all = Array.isArray(questions) ? questions : []
  const asked = questionsOf(all)
  if (asked.length === 0 || all.some((one) => isRecord(one) && one['isSecret'] === true)) return undefined
  return {
    params: questionForm('Codex', asked),
    answer: (said) => {
      const given = [...(formAnswers(said, asked) ?? [])].map(([id, answers]) => [id, { answers }])
      return { answers: Object.fromEntries(given) as object }
    },
  }
}
