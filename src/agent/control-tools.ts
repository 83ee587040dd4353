/** The tools with which a model controls the agents that it keeps, and reports to its own parent (B11.1, B12.1). */
import { text } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import { sessionId } from '../contract/ids.ts'
import type { JsonObject } from '../contract/json.ts'
import type { DelegatedAgents, KeptAgent } from '../contract/provider.ts'
import type { Tool, ToolResult } from './tools/tool.ts'
import { CONTROL_TOOL_NAMES, REPORT_TOOL_NAME } from './tools/tool-names.ts'

type Fields = Readonly<Record<string, string>>

const schema = (fields: Fields): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, description]) => [
      name,
      { type: 'string', minLength: 1, description },
    ]),
  ),
  required: Object.keys(fields),
  additionalProperties: false,
})

const control = (
  name: string,
  description: string,
  fields: Fields,
  run: (input: Readonly<Record<string, string>>) => string,
): Tool => ({
  name,
  description,
  kind: 'other',
  family: 'delegation',
  inputSchema: schema(fields),
  run: async (input) => answer(() => run(input as Readonly<Record<string, string>>)),
})

/** What is refused is a result for the model. */
const answer = (run: () => string): ToolResult => {
  try {
    return { text: run() }
  } catch (error) {
    if (!SubagentError.is(error)) throw error
    return { text: `${error.code}: ${error.message}`, isError: true }
  }
}

const told = ({ id, parentId, label, provider, state, lastStatus }: KeptAgent): string =>
  [
    `${id}: ${state}`,
    ...(label === undefined ? [] : [JSON.stringify(label)]),
    `on ${provider}`,
    ...(lastStatus === undefined ? [] : [`last run ${lastStatus}`]),
    `started by ${parentId}`,
  ].join(', ')

const AGENT = 'The id of the agent, as it was given at its start or by list_agents.'
const [SEND = '', INTERRUPT = '', LIST = ''] = CONTROL_TOOL_NAMES

export const controlTools = (agents: DelegatedAgents): readonly Tool[] => [
  control(
    SEND,
    'Gives a subagent that was started in the background more to do. Messages are taken in order, each once what came before has ended; its answer comes to you as a message.',
    { agent: AGENT, message: 'What it is to do now. It still knows what it did before.' },
    ({ agent = '', message = '' }) => {
      agents.send(sessionId(agent), [text(message)])
      return 'Sent. The answer will come as a message.'
    },
  ),
  control(
    INTERRUPT,
    'Stops what a subagent in the background does now. Messages that wait for it are taken afterwards.',
    { agent: AGENT },
    ({ agent = '' }) =>
      agents.interrupt(sessionId(agent)) ? 'It is being stopped.' : 'It does nothing at the moment.',
  ),
  control(
    LIST,
    'Lists the subagents below you that were started in the background, with what they do: running, idle, or ready (stored, and taken up by the next message).',
    {},
    () => agents.list().map(told).join('\n') || 'There are none.',
  ),
]

export const reportTool = (agents: DelegatedAgents): Tool =>
  control(
    REPORT_TOOL_NAME,
    'Tells the agent that started you something while you go on working. Your answer at the end reaches it by itself.',
    { text: 'What it should know now.' },
    ({ text: said = '' }) => {
      agents.report(said)
      return 'Reported.'
    },
  )
