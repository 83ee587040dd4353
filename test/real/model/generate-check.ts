/** Reads a Gemini generateContent request as strictly as the service does. */
import { demand, fields, list, string } from './refusal.ts'
import type { Fields } from './refusal.ts'
import type { Entry, ModelRequest } from './script.ts'

const KNOWN: ReadonlySet<string> = new Set(
  'contents systemInstruction tools toolConfig generationConfig safetySettings cachedContent labels'.split(
    ' ',
  ),
)
const COUNTED: ReadonlySet<string> = new Set(['contents', 'generateContentRequest'])
/** Exactly one of them makes a part. */
const DATA =
  'text inlineData fileData functionCall functionResponse executableCode codeExecutionResult'.split(' ')
const ABOUT: ReadonlySet<string> = new Set(
  'thought thoughtSignature videoMetadata mediaResolution'.split(' '),
)
const FUNCTION_NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/u

interface Content {
  readonly role: string
  readonly parts: readonly Fields[]
}

const known = (value: Fields, names: ReadonlySet<string>, where: string): void => {
  for (const key of Object.keys(value)) {
    demand(names.has(key), `Invalid JSON payload received. Unknown name "${key}" at '${where}'`)
  }
}

const partOf = (value: unknown, where: string): Fields => {
  const part = fields(value, where)
  const held = DATA.filter((key) => part[key] !== undefined)
  demand(held.length === 1, `${where}.data: required oneof field 'data' must have one initialized field`)
  known(part, new Set([...DATA, ...ABOUT]), where)
  const call = part['functionCall'] ?? part['functionResponse']
  if (call !== undefined) {
    const { name, response } = fields(call, where)
    demand(FUNCTION_NAME.test(string(name, `${where}.name`)), `${where}.name: Invalid function name`)
    if (part['functionResponse'] !== undefined) fields(response, `${where}.function_response.response`)
  }
  return part
}

const contentOf = (value: unknown, where: string): Content => {
  const { role = 'user', parts } = fields(value, where)
  demand(role === 'user' || role === 'model', `${where}: Please use a valid role: user, model.`)
  const read = list(parts, `${where}.parts`).map((part, index) => partOf(part, `${where}.parts[${index}]`))
  demand(read.length > 0, `${where}.parts: contents.parts must not be empty.`)
  return { role, parts: read }
}

const having = ({ parts }: Content, key: string): number =>
  parts.filter((part) => part[key] !== undefined).length

/** Calls come from the model, and the turn after them answers each. */
const checkPairs = (contents: readonly Content[]): void => {
  for (const [index, content] of contents.entries()) {
    const calls = having(content, 'functionCall')
    const results = having(content, 'functionResponse')
    demand(calls === 0 || content.role === 'model', `contents[${index}]: a user makes no function call`)
    const before = contents[index - 1]
    const asked = before === undefined ? 0 : having(before, 'functionCall')
    demand(
      results === asked,
      'Please ensure that the number of function response parts is equal to the number of function call parts ' +
        'of the function call turn.',
    )
  }
  const last = contents.at(-1)
  demand(last !== undefined, 'contents: contents is not specified')
  demand(last.role === 'user', 'Please ensure that single turn requests end with a user role.')
}

const entriesOf = ({ role, parts }: Content): readonly Entry[] =>
  parts.flatMap((part): readonly Entry[] => {
    if (part['functionResponse'] !== undefined) {
      return [{ kind: 'result', text: JSON.stringify(fields(part['functionResponse'], 'part')['response']) }]
    }
    if (typeof part['text'] !== 'string' || part['thought'] === true) return []
    return role === 'model' ? [{ kind: 'said' }] : [{ kind: 'user', text: part['text'] }]
  })

const toolsOf = (value: unknown): readonly string[] => {
  const names = list(value ?? [], 'tools').flatMap((tool, index) =>
    list(fields(tool, `tools[${index}]`)['functionDeclarations'] ?? [], `tools[${index}]`).map((declared) => {
      const name = string(fields(declared, `tools[${index}]`)['name'], `tools[${index}].name`)
      demand(FUNCTION_NAME.test(name), `tools[${index}].name: Invalid function name`)
      return name
    }),
  )
  demand(new Set(names).size === names.length, 'Duplicate function declaration found')
  return names
}

export const readGenerate = (value: unknown, model: string, action: string): ModelRequest => {
  const given = fields(value, 'body')
  known(given, action === 'countTokens' ? COUNTED : KNOWN, 'body')
  const body = fields(given['generateContentRequest'] ?? given, 'generateContentRequest')
  const contents = list(body['contents'], 'contents').map((content, index) =>
    contentOf(content, `contents[${index}]`),
  )
  checkPairs(contents)
  const config = fields(body['generationConfig'] ?? {}, 'generationConfig')
  const schema = config['responseJsonSchema'] ?? config['responseSchema']
  const told = body['systemInstruction']
  const instructions = told === undefined ? [] : contentOf(told, 'systemInstruction').parts
  return {
    model,
    stream: action === 'streamGenerateContent',
    entries: contents.flatMap(entriesOf),
    tools: toolsOf(body['tools']),
    instructions: instructions.map(({ text }) => String(text)).join('\n'),
    images: contents.flatMap(({ parts }) => parts).filter(({ inlineData }) => inlineData !== undefined)
      .length,
    ...(schema === undefined ? {} : { schema: fields(schema, 'generationConfig.responseSchema') }),
  }
}
