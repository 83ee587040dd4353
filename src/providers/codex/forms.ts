/** What Codex and its servers ask a person to fill in, as ACP's elicitation, and the answers in Codex's words (C24). Pure. */
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'

/** What the person said; undefined: nobody can be asked. */
export type FormAnswer = (said: JsonObject | undefined) => object

export interface Form {
  readonly params: JsonObject
  readonly answer: FormAnswer
}

const str = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const DECLINED = { action: 'decline', content: null, _meta: null }

const serverAnswer: FormAnswer = (said) => {
  if (said === undefined) return DECLINED
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

interface Question {
  readonly id: string
  readonly text: string
  readonly title: string | undefined
  readonly options: readonly { readonly label: string; readonly description: string | undefined }[]
  /** The person may write something else. */
  readonly open: boolean
}

const questionsOf = (questions: unknown): readonly Question[] =>
  (Array.isArray(questions) ? questions : []).filter(isRecord).flatMap((asked) => {
    const { id, question, header, options, isOther } = asked
    if (typeof id !== 'string') return []
    const offered = (Array.isArray(options) ? options : []).filter(isRecord).flatMap((option) => {
      const label = str(option['label'])
      return label === undefined ? [] : [{ label, description: str(option['description']) }]
    })
    const open = offered.length === 0 || isOther === true
    return [{ id, text: str(question) ?? id, title: str(header), options: offered, open }]
  })

const otherOf = (id: string): string => `${id} (other)`

const fieldsOf = ({
  id,
  text,
  title,
  options,
  open,
}: Question): readonly (readonly [string, JsonObject])[] => {
  const described = present({ title, description: text })
  const oneOf = options.map(({ label, description }) =>
    present({ const: label, title: label, description }),
  ) as JsonObject[]
  const choice = [id, { type: 'string', ...described, oneOf }] as const
  const written = { type: 'string', ...described } as const
  if (options.length === 0) return [[id, written]]
  return open ? [choice, [otherOf(id), { ...written, title: 'Something else' }]] : [choice]
}

/** Of the model itself. What is secret is no matter for a form. */
export const userForm = ({ questions }: Record<string, unknown>): Form | undefined => {
  const asked = questionsOf(questions)
  const secret =
    Array.isArray(questions) && questions.some((one) => isRecord(one) && one['isSecret'] === true)
  const [first] = asked
  if (first === undefined || secret) return undefined
  const properties = Object.fromEntries(asked.flatMap(fieldsOf))
  return {
    params: {
      mode: 'form',
      message: asked.length === 1 ? first.text : 'Codex asks:',
      requestedSchema: { type: 'object', properties },
    },
    answer: (said) => {
      const content = said?.['action'] === 'accept' && isRecord(said['content']) ? said['content'] : undefined
      if (content === undefined) return { answers: {} }
      const given = asked.map(({ id }) => {
        const answers = [content[id], content[otherOf(id)]].filter((one) => str(one) !== undefined)
        return [id, { answers }]
      })
      return { answers: Object.fromEntries(given) as object }
    },
  }
}
