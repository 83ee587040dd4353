/** Holds an answer to the JSON schema that was asked for (B13). Ajv is loaded only when a schema is. */
import { SubagentError } from '../contract/errors.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import { boundedDetail } from './ending.ts'

export type SchemaVerdict =
  | { readonly value: JsonValue }
  | { readonly mismatch: SubagentError<'SCHEMA_MISMATCH'> }

export interface SchemaCheck {
  /** `structured` is the provider's own value; without one the whole text must be the JSON. */
  (structured: JsonValue | undefined, text: string): SchemaVerdict
}

const mismatch = (detail: string, path?: string): SchemaVerdict => ({
  mismatch: new SubagentError(
    'SCHEMA_MISMATCH',
    'prompt',
    boundedDetail(`The answer doesn't fit the schema that was asked for: ${detail}.`),
    { detail: boundedDetail(detail), ...(path !== undefined && { path }) },
  ),
})

/** Rejects with `INVALID_REQUEST` when the schema itself is no JSON schema. */
export const schemaCheck = async (schema: JsonObject): Promise<SchemaCheck> => {
  // In the bundle a CommonJS module has no names of its own, only its default.
  const { default: ajvModule } = await import('ajv/dist/2020.js')
  const { Ajv2020 } = ajvModule
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  let validate: ReturnType<typeof ajv.compile>
  try {
    validate = ajv.compile(schema)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    throw new SubagentError('INVALID_REQUEST', 'request', `"outputSchema" is no JSON schema: ${detail}.`, {
      field: 'outputSchema',
    })
  }
  return (structured, text) => {
    let value = structured
    if (value === undefined) {
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
