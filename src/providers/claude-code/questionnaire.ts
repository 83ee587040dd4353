/** Claude Code's questionnaire: the tool by which its model asks a person, as a form of the person's client. */
import type { SessionClient } from '../../contract/client.ts'
import { isRecord } from '../../contract/json.ts'
import { formAnswers, formOptions, questionForm } from '../../contract/question-form.ts'
import type { FormQuestion } from '../../contract/question-form.ts'

export const QUESTION_TOOL = 'AskUserQuestion'

type Json = Readonly<Record<string, unknown>>

/** Whether a person can be asked: else the tool isn't offered. */
export const takesForms = (client: SessionClient | undefined): boolean =>
  client?.offer.elicitation.form === true

const str = (value: unknown): string => (typeof value === 'string' ? value : '')

/** It always leaves room for an answer of the person's own. */
const questionsOf = (questions: unknown): readonly FormQuestion[] =>
  (Array.isArray(questions) ? questions : []).filter(isRecord).map((asked, at) => ({
    id: `question ${at + 1}`,
    text: str(asked['question']),
    title: str(asked['header']) || undefined,
    options: formOptions(asked['options']),
    several: asked['multiSelect'] === true,
    open: true,
  }))

const UNANSWERED = {
  behavior: 'deny',
  message: 'The person did not answer. Go on by your own judgement, and say in your answer what you decided.',
}

/** The answers go back within the tool's input, by the words of each question. */
const answered = (
  input: Json,
  questions: readonly FormQuestion[],
  given: ReadonlyMap<string, readonly string[]>,
) => {
  const answers = questions.map(({ id, text }) => [text, (given.get(id) ?? []).join(', ')])
  return { behavior: 'allow', updatedInput: { ...input, answers: Object.fromEntries(answers) as object } }
}

/** What `can_use_tool` is answered with. */
export const askPerson = async (
  client: SessionClient | undefined,
  input: unknown,
  toolCallId: string,
  signal: AbortSignal | undefined,
): Promise<object> => {
  const asked = isRecord(input) ? input : {}
  const questions = questionsOf(asked['questions'])
  if (client === undefined || signal === undefined || questions.length === 0) return UNANSWERED
  const params = { ...questionForm('Claude Code', questions), toolCallId }
  const answer = await client.request({ method: 'elicitation/create', params, signal })
  const given = 'result' in answer ? formAnswers(answer.result, questions) : undefined
  return given === undefined ? UNANSWERED : answered(asked, questions, given)
}
