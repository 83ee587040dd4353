/** Holds an answer to the JSON schema that was asked for (B13). Ajv is loaded only when a schema is. */
import type { Ajv } from 'ajv'
import { boundedDetail } from '../contract/bounded.ts'
import { SubagentError } from '../contract/errors.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'

export type SchemaVerdict =
  | { readonly value: JsonValue }
  | { readonly mismatch: SubagentError<'SCHEMA_MISMATCH'> }

export interface SchemaCheck {
  /** `structured` is the provider's own value; without one the whole text must be the JSON, where there may be a text. */
  (structured: JsonValue | undefined, text: string | undefined): SchemaVerdict
}

const mismatch = (detail: string, path?: string): SchemaVerdict => ({
  mismatch: new SubagentError(
    'SCHEMA_MISMATCH',
    'prompt',
    boundedDetail(`The answer doesn't fit the schema that was asked for: ${detail}.`),
    { detail: boundedDetail(detail), ...(path !== undefined && { path }) },
  ),
})

/** Nothing is written anywhere; formats are notes for people, as the drafts have it unless both sides agree. */
const OPTIONS = { strict: false, allErrors: false, validateFormats: false, logger: false } as const

/** The dialects that are understood, by the addresses that schemas give for them. */
const DIALECT = /^https?:\/\/json-schema\.org\/(draft-07|draft\/2019-09|draft\/2020-12)\/schema#?$/u

/** In the bundle a CommonJS module has no names of its own, only its default. */
const engineFor = async (dialect: string | undefined): Promise<Pick<Ajv, 'compile'>> => {
  if (dialect === 'draft-07') return new (await import('ajv')).default.Ajv(OPTIONS)
  if (dialect === 'draft/2019-09') return new (await import('ajv/dist/2019.js')).default.Ajv2019(OPTIONS)
  return new (await import('ajv/dist/2020.js')).default.Ajv2020(OPTIONS)
}

/** Rejects with `INVALID_REQUEST` when the schema itself is no JSON schema. */
export const schemaCheck = async (schema: JsonObject): Promise<SchemaCheck> => {
  const { $schema, ...rest } = schema
  const [, dialect] = DIALECT.exec(typeof $schema === 'string' ? $schema : '') ?? []
  const ajv = await engineFor(dialect)
  let validate: ReturnType<typeof ajv.compile>
  try {
    validate = ajv.compile(dialect === undefined ? schema : rest)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new SubagentError('INVALID_REQUEST', 'request', `"outputSchema" is no JSON schema: ${detail}.`, {
      field: 'outputSchema',
    })
  }
  return (structured, text) => {
    let value = structured
    if (value === undefined) {
      if (text === undefined) return mismatch('the agent gave no value')
      if (text.trim() === '') return mismatch('there is no answer')
      try {
        value = JSON.parse(text) as JsonValue
      } catch {
        return mismatch("it isn't JSON")
      }
    }
    if (validate(value)) return { value }
    const [first] = validate.errors ?? []
    const path = first?.instancePath === '' ? '/' : first?.instancePath
    return mismatch(`${path ?? '/'} ${first?.message ?? 'is wrong'}`, path)
  }
}
