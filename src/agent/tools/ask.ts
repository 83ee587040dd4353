/** The tool with which the model puts a question to the person: an approval like any other, so a policy can answer. */
import type { ApprovalDecision, Tool } from './tool.ts'
import { QUESTION_TOOL } from './tool-names.ts'

const REFUSED: Readonly<Record<Exclude<ApprovalDecision, 'allowed'>, string>> = {
  rejected: 'No. Go on without it, and say in your answer what you left undone.',
  cancelled: 'The question was cancelled before it was answered.',
  unavailable: 'Nobody is there to answer. Go on without it, and say in your answer what you left undone.',
}

interface Input {
  readonly question: string
}

export const askTool: Tool = {
  name: QUESTION_TOOL,
  kind: 'other',
  description:
    'Puts a question to the person you work for, who can answer yes or no. Ask only what you can neither find out ' +
    'nor decide yourself. The answer may come from a policy in the place of a person.',
  inputSchema: {
    type: 'object',
    properties: { question: { type: 'string', minLength: 1, description: 'One question for yes or no.' } },
    required: ['question'],
    additionalProperties: false,
  },
  title: (input) => (input as unknown as Input).question,
  run: async (input, context) => {
    const { question: title } = input as unknown as Input
    const reason = 'the agent asks, and goes on by the answer'
    const decision = await context.ask({ title, kind: 'other', reason })
    return decision === 'allowed' ? { text: 'Yes.' } : { text: REFUSED[decision], isError: true }
  },
}
