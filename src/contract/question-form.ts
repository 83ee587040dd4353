/** Questions that an agent has for its person, as the form of ACP's elicitation, and what was chosen in it. Pure. */
import { isRecord } from './json.ts'
import type { JsonObject } from './json.ts'
import { present } from './present.ts'

export interface FormQuestion {
  /** The name of its field. */
  readonly id: string
  readonly text: string
  readonly title: string | undefined
  readonly options: readonly FormOption[]
  /** Several options at once. */
  readonly several: boolean
  /** The person may write something else. */
  readonly open: boolean
}

interface FormOption {
  readonly label: string
  readonly description: string | undefined
}

const str = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Of a list of labels with descriptions; what has no label is left out. */
export const formOptions = (options: unknown): readonly FormOption[] =>
  (Array.isArray(options) ? options : []).filter(isRecord).flatMap((option) => {
    const label = str(option['label'])
    return label === undefined ? [] : [{ label, description: str(option['description']) }]
  })

const otherOf = (id: string): string => `${id} (other)`

const fieldsOf = (question: FormQuestion): readonly (readonly [string, JsonObject])[] => {
  const { id, text, title, options, several, open } = question
  const described = present({ title, description: text })
  const written = { type: 'string', ...described } as const
  if (options.length === 0) return [[id, written]]
  const choices = options.map(({ label, description }) =>
    present({ const: label, title: label, description }),
  ) as JsonObject[]
  const choice = several
    ? { type: 'array', ...described, items: { anyOf: choices } }
    : { type: 'string', ...described, oneOf: choices }
  return open
    ? [
        [id, choice],
        [otherOf(id), { ...written, title: 'Something else' }],
      ]
    : [[id, choice]]
}

/** Parameters of `elicitation/create`: one question is the message itself. */
export const questionForm = (asker: string, questions: readonly FormQuestion[]): JsonObject => {
  const [first] = questions
  return {
    mode: 'form',
    message: questions.length === 1 && first !== undefined ? first.text : `${asker} asks:`,
    requestedSchema: { type: 'object', properties: Object.fromEntries(questions.flatMap(fieldsOf)) },
  }
}

/** What was chosen and written for each question, by its id; undefined: the person didn't answer. */
export const formAnswers = (
  said: JsonObject | undefined,
  questions: readonly FormQuestion[],
): ReadonlyMap<string, readonly string[]> | undefined => {
  if (said?.['action'] !== 'accept') return undefined
  const content = isRecord(said['content']) ? said['content'] : {}
  return new Map(
    questions.map(({ id }) => [
      id,
      [content[id], content[otherOf(id)]].flat().filter((one) => str(one) !== undefined) as string[],
    ]),
  )
}
