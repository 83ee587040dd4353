/** Reads an Anthropic Messages request as strictly as the service does. */
import { demand, fields, list, string } from './refusal.ts'
import type { Fields } from './refusal.ts'
import type { Entry, ModelRequest } from './script.ts'

const KNOWN: ReadonlySet<string> = new Set(
  (
    'model messages max_tokens system tools tool_choice metadata stop_sequences stream temperature top_k ' +
    'top_p thinking context_management output_config service_tier container mcp_servers cache_control ' +
    'speed safeguards'
  ).split(' '),
)
const BLOCKS: ReadonlySet<string> = new Set(
  'text image document tool_use tool_result thinking redacted_thinking'.split(' '),
)
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/

const blocksOf = (content: unknown, where: string): readonly Fields[] => {
  if (typeof content === 'string') return [{ type: 'text', text: string(content, where) }]
  const blocks = list(content, where).map((block, index) => fields(block, `${where}.${index}`))
  demand(blocks.length > 0, `${where}: all messages must have non-empty content`)
  for (const [index, block] of blocks.entries()) {
    demand(BLOCKS.has(String(block['type'])), `${where}.${index}: Input tag '${String(block['type'])}' found`)
    if (block['type'] === 'text') string(block['text'], `${where}.${index}.text`)
    if (block['type'] === 'tool_result') string(block['tool_use_id'], `${where}.${index}.tool_use_id`)
    if (block['type'] !== 'tool_use') continue
    demand(TOOL_NAME.test(string(block['id'], `${where}.${index}.id`)), `${where}.${index}.id: bad pattern`)
    string(block['name'], `${where}.${index}.name`)
    fields(block['input'], `${where}.${index}.input`)
  }
  return blocks
}

const ids = (blocks: readonly Fields[], type: string, key: string): readonly string[] =>
  blocks.filter((block) => block['type'] === type).map((block) => String(block[key]))

/** Each tool use is answered in the very next message, and nothing else is. */
const checkPairs = (turns: readonly { role: string; blocks: readonly Fields[] }[]): void => {
  for (const [index, turn] of turns.entries()) {
    const uses = ids(turns[index - 1]?.blocks ?? [], 'tool_use', 'id')
    const results = ids(turn.blocks, 'tool_result', 'tool_use_id')
    for (const id of results) {
      demand(turn.role === 'user', `messages.${index}: tool_result blocks can only be in user messages`)
      demand(
        uses.includes(id),
        `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${id}`,
      )
    }
    for (const id of uses) {
      demand(results.includes(id), `messages.${index - 1}: tool_use ids without tool_result blocks: ${id}`)
    }
  }
  demand(
    ids(turns.at(-1)?.blocks ?? [], 'tool_use', 'id').length === 0,
    `messages.${turns.length - 1}: tool_use ids were found without tool_result blocks immediately after`,
  )
}

const entriesOf = (role: string, blocks: readonly Fields[]): readonly Entry[] =>
  blocks.flatMap((block): readonly Entry[] => {
    if (block['type'] === 'tool_result') return [{ kind: 'result' }]
    if (block['type'] !== 'text') return []
    if (role === 'assistant') return [{ kind: 'said' }]
    return role === 'user' ? [{ kind: 'user', text: String(block['text']) }] : []
  })

const toolsOf = (value: unknown): readonly string[] => {
  const names = list(value ?? [], 'tools').map((tool, index) => {
    const { name, input_schema: schema, type } = fields(tool, `tools.${index}`)
    demand(TOOL_NAME.test(string(name, `tools.${index}.name`)), `tools.${index}.name: bad pattern`)
    if (type === undefined || type === 'custom') {
      const kind = fields(schema, `tools.${index}.input_schema`)['type']
      demand(kind === 'object', `tools.${index}.input_schema.type: Input should be 'object'`)
    }
    return String(name)
  })
  demand(new Set(names).size === names.length, 'tools: Tool names must be unique')
  return names
}

export const readMessages = (value: unknown, counting: boolean, betas: string): ModelRequest => {
  const body = fields(value, 'body')
  for (const key of Object.keys(body)) demand(KNOWN.has(key), `${key}: Extra inputs are not permitted`)
  const model = string(body['model'], 'model')
  const max = body['max_tokens']
  if (counting) demand(max === undefined, 'max_tokens: Extra inputs are not permitted')
  else demand(Number.isInteger(max) && Number(max) > 0, 'max_tokens: Field required')
  const stream = body['stream'] ?? false
  demand(typeof stream === 'boolean', 'stream: Input should be a valid boolean')
  const turns = list(body['messages'], 'messages').map((message, index) => {
    const { role, content } = fields(message, `messages.${index}`)
    const allowed =
      role === 'user' || role === 'assistant' || (role === 'system' && index > 0 && betas !== '')
    demand(allowed, `messages.${index}.role: Input should be 'user' or 'assistant'`)
    return { role, blocks: blocksOf(content, `messages.${index}.content`) }
  })
  demand(turns[0]?.role === 'user', 'messages: first message must use the "user" role')
  checkPairs(turns.filter((turn) => turn.role !== 'system'))
  const format = fields(fields(body['output_config'] ?? {}, 'output_config')['format'] ?? {}, 'format')
  const schema = format['schema']
  const effort = fields(body['output_config'] ?? {}, 'output_config')['effort']
  const instructions = body['system'] === undefined ? [] : blocksOf(body['system'], 'system')
  const images = turns.flatMap(({ blocks }) => blocks).filter(({ type }) => type === 'image').length
  return {
    model,
    stream,
    entries: turns.flatMap((turn) => entriesOf(turn.role, turn.blocks)),
    tools: toolsOf(body['tools']),
    instructions: instructions.map((block) => String(block['text'])).join('\n'),
    images,
    ...(typeof effort === 'string' && { effort }),
    ...(schema === undefined ? {} : { schema: fields(schema, 'output_config.format.schema') }),
  }
}
