/** The official JSON schema of ACP v1, as the judge of every message that an agent writes. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ErrorObject } from 'ajv'
import { isRecord } from '../../contract/json.ts'
import type { Heard } from './message.ts'

export interface ProtocolSchema {
  /** What is wrong with the message, in words; empty when it is valid. */
  faults(message: Heard): readonly string[]
  /** Root keys of its params or result that no definition has. */
  unknownKeys(message: Heard): readonly string[]
}

interface Definition {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly object[]
  readonly 'x-side'?: string
  readonly 'x-method'?: string
}

interface SchemaFile {
  readonly $defs: Readonly<Record<string, Definition>>
}

/** The one with the unstable methods and variants: it holds all of the stable one. */
const FILE = '@agentclientprotocol/sdk/schema/v1/schema.unstable.json'

/** Newer than that file, and stable since: a tool call's link to the session of a subagent. */
const SESSION_LINK = {
  type: 'object',
  properties: { type: { type: 'string', const: 'session' }, sessionId: { $ref: '#/$defs/SessionId' } },
  required: ['type', 'sessionId'],
}

const withLinks = (file: SchemaFile): SchemaFile => {
  const { ToolCallContent: content } = file.$defs
  const ToolCallContent = { ...content, oneOf: [...(content?.oneOf ?? []), SESSION_LINK] }
  return { ...file, $defs: { ...file.$defs, ToolCallContent } }
}

const FREQUENT = [
  'InitializeResponse',
  'NewSessionResponse',
  'PromptResponse',
  'SessionNotification',
  'Error',
]

let loaded: Promise<ProtocolSchema> | undefined

export const protocolSchema = (): Promise<ProtocolSchema> => (loaded ??= load())

const load = async (): Promise<ProtocolSchema> => {
  const { Ajv2020 } = (await import('ajv/dist/2020.js')).default
  const text = await readFile(fileURLToPath(import.meta.resolve(FILE)), 'utf8')
  const file = withLinks(JSON.parse(text) as SchemaFile)
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    discriminator: true,
  }).addSchema(file, 'acp')
  const names = namesOf(file)
  // Compiled before anything is timed.
  for (const name of FREQUENT) ajv.getSchema(`acp#/$defs/${name}`)

  const check = (name: string, value: unknown): readonly string[] => {
    const validate = ajv.getSchema(`acp#/$defs/${name}`)
    return validate === undefined || validate(value) === true ? [] : words(validate.errors ?? [])
  }
  return {
    faults: (message) => {
      switch (message.kind) {
        // A line that is no message is the transport's matter.
        case 'noise':
          return []
        case 'response':
          return responseFaults(message, names, check)
        case 'request':
        case 'notification': {
          const name = names.sent.get(message.method ?? '')
          if (name === undefined)
            return isCustom(message) ? [] : [`${message.method} is no method of a client`]
          return check(name, message.params)
        }
      }
    },
    unknownKeys: (message) => {
      const response = message.kind === 'response'
      const name = response ? names.answered.get(message.answers ?? '') : names.sent.get(message.method ?? '')
      const value = response ? message.result : message.params
      const known = name === undefined ? undefined : file.$defs[name]?.properties
      if (known === undefined || !isRecord(value)) return []
      return Object.keys(value).filter((key) => key !== '_meta' && !Object.hasOwn(known, key))
    },
  }
}

interface Names {
  /** Definitions of results by the method that was asked. */
  readonly answered: ReadonlyMap<string, string>
  /** Definitions of params by the method that the agent wrote. */
  readonly sent: ReadonlyMap<string, string>
  readonly optional: ReadonlySet<string>
}

/** Each definition says which method it belongs to, and who handles that. */
const namesOf = ({ $defs }: SchemaFile): Names => {
  const all = Object.entries($defs).flatMap(([name, definition]) => {
    const method = definition['x-method']
    return method === undefined ? [] : [{ name, method, side: definition['x-side'], definition }]
  })
  const pick = (fits: (entry: (typeof all)[number]) => boolean): ReadonlyMap<string, string> =>
    new Map(all.filter(fits).map(({ method, name }) => [method, name]))
  return {
    answered: pick(({ side, name }) => side === 'agent' && name.endsWith('Response')),
    sent: pick(({ side, name }) => side !== 'agent' && side !== 'proxy' && !name.endsWith('Response')),
    optional: new Set(
      all.filter(({ definition }) => (definition.required ?? []).length === 0).map(({ name }) => name),
    ),
  }
}

const responseFaults = (
  { answers, error, result, value }: Heard,
  names: Names,
  check: (name: string, value: unknown) => readonly string[],
): readonly string[] => {
  if (error !== undefined) return check('Error', error)
  const name = names.answered.get(answers ?? '')
  if (name === undefined) return []
  if (!isRecord(value) || !('result' in value)) return ['/error is no object']
  // Some agents answer null where nothing has to be said; a requirement of its own advises against it.
  return result === null && names.optional.has(name) ? [] : check(name, result)
}

const isCustom = ({ method = '', kind }: Heard): boolean =>
  method.startsWith('_') || (kind === 'notification' && method.startsWith('$/'))

const words = (errors: readonly ErrorObject[]): readonly string[] =>
  errors.slice(0, 3).map(({ instancePath, message, params }) => {
    const extra = 'tagValue' in params ? ` (${JSON.stringify(params['tagValue'])})` : ''
    return `${instancePath || '/'} ${message ?? 'is wrong'}${extra}`
  })
