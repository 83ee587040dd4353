/** Reads an OpenAI Responses request as strictly as the service does. */
import { demand, fields, list, string } from './refusal.ts'
import type { Fields } from './refusal.ts'
import type { Entry, ModelRequest } from './script.ts'

const KNOWN: ReadonlySet<string> = new Set(
  (
    'model input instructions tools tool_choice parallel_tool_calls reasoning store stream stream_options ' +
    'include prompt_cache_key prompt_cache_retention client_metadata text service_tier temperature top_p ' +
    'max_output_tokens max_tool_calls metadata previous_response_id truncation safety_identifier user'
  ).split(' '),
)
const PARTS: { readonly [role: string]: readonly string[] } = {
  user: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text'],
  system: ['input_text'],
  assistant: ['output_text', 'refusal'],
}
const TOOLS: ReadonlySet<string> = new Set(
  'function custom namespace web_search image_generation local_shell tool_search'.split(' '),
)

const textsOf = (content: unknown, role: string, where: string): readonly string[] => {
  if (typeof content === 'string') return [content]
  return list(content, `${where}.content`).map((value, index) => {
    const part = fields(value, `${where}.content[${index}]`)
    const known = PARTS[role]?.includes(String(part['type'])) ?? false
    demand(known, `Invalid value: '${String(part['type'])}'. (${where}.content[${index}].type)`)
    return typeof part['text'] === 'string' ? part['text'] : ''
  })
}

const checkId = (item: Fields, prefix: string, where: string): void => {
  const id = item['id'] ?? prefix
  const fits = typeof id === 'string' && id.startsWith(prefix)
  demand(fits, `Invalid '${where}.id': ${JSON.stringify(id)}. Expected an ID that begins with '${prefix}'.`)
}

/** One item's entries; calls opened and answered so far are kept in `open`. */
const readItem = (item: Fields, where: string, open: Map<string, boolean>): readonly Entry[] => {
  switch (item['type'] ?? 'message') {
    case 'message': {
      const role = string(item['role'], `${where}.role`)
      demand(role in PARTS, `Invalid value: '${role}'. (${where}.role)`)
      checkId(item, 'msg', where)
      const texts = textsOf(item['content'], role, where)
      if (role === 'assistant') return [{ kind: 'said' }]
      return role === 'user' ? texts.map((text) => ({ kind: 'user', text })) : []
    }
    case 'function_call':
    case 'custom_tool_call': {
      checkId(item, item['type'] === 'function_call' ? 'fc' : 'ctc', where)
      string(item['name'], `${where}.name`)
      const key = item['type'] === 'function_call' ? 'arguments' : 'input'
      demand(typeof item[key] === 'string', `Missing required parameter: '${where}.${key}'.`)
      open.set(string(item['call_id'], `${where}.call_id`), false)
      return []
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const id = string(item['call_id'], `${where}.call_id`)
      demand(open.get(id) === false, `No tool call found for function call output with call_id ${id}.`)
      demand(item['output'] !== undefined, `Missing required parameter: '${where}.output'.`)
      open.set(id, true)
      return [{ kind: 'result', text: JSON.stringify(item['output']) }]
    }
    case 'reasoning':
      checkId(item, 'rs', where)
      return []
    // Tools that the client found out about after its first request, as MCP tools are.
    case 'additional_tools':
      demand(Array.isArray(item['tools']), `Missing required parameter: '${where}.tools'.`)
      return []
    default:
      demand(false, `Invalid value: '${String(item['type'])}'. (${where}.type)`)
      return []
  }
}

const toolNames = (value: unknown, where: string): readonly string[] =>
  list(value ?? [], where).flatMap((entry, index) => {
    const tool = fields(entry, `${where}[${index}]`)
    const type = string(tool['type'], `${where}[${index}].type`)
    demand(TOOLS.has(type), `Invalid value: '${type}'. (${where}[${index}].type)`)
    if (type === 'function') fields(tool['parameters'], `${where}[${index}].parameters`)
    if (type === 'namespace') return toolNames(tool['tools'], `${where}[${index}].tools`)
    return type === 'function' || type === 'custom' ? [string(tool['name'], `${where}[${index}].name`)] : []
  })

export const readResponses = (value: unknown): ModelRequest => {
  const body = fields(value, 'body')
  for (const key of Object.keys(body)) demand(KNOWN.has(key), `Unknown parameter: '${key}'.`)
  const model = string(body['model'], 'model')
  const stream = body['stream'] ?? false
  demand(typeof stream === 'boolean', "Invalid type for 'stream'.")
  const { input } = body
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input, 'input')
  demand(items.length > 0, "Invalid 'input': empty array.")
  const open = new Map<string, boolean>()
  const entries = items.flatMap((item, index) =>
    readItem(fields(item, `input[${index}]`), `input[${index}]`, open),
  )
  for (const [id, answered] of open) demand(answered, `No tool output found for function call ${id}.`)
  const format = fields(fields(body['text'] ?? {}, 'text')['format'] ?? {}, 'text.format')
  const schema = format['schema']
  const { effort } = fields(body['reasoning'] ?? {}, 'reasoning')
  const messages = items.map((item, index) => fields(item, `input[${index}]`))
  const parts = messages.flatMap(({ role, content }) =>
    Array.isArray(content) ? content.map((part: unknown) => ({ role, part: fields(part, 'content') })) : [],
  )
  const own = parts.filter(({ role }) => role === 'developer' || role === 'system')
  // An older list may have more in it: the last one counts.
  const later = messages.findLast(({ type }) => type === 'additional_tools')
  return {
    model,
    stream,
    entries,
    tools: [...toolNames(body['tools'], 'tools'), ...toolNames(later?.['tools'], 'additional_tools')],
    instructions: own
      .flatMap(({ part }) => (typeof part['text'] === 'string' ? [part['text']] : []))
      .join('\n'),
    images: parts.filter(({ part }) => part['type'] === 'input_image').length,
    ...(typeof effort === 'string' && { effort }),
    ...(schema === undefined ? {} : { schema: fields(schema, 'text.format.schema') }),
  }
}
