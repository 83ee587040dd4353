/** The port that holds a call's arguments to the tool's schema; who composes the agent brings the validator. */
import type { JsonObject, JsonValue } from '../../contract/json.ts'

/** Compiles a schema once; the check says what is wrong, or undefined. */
export type CompileSchema = (schema: JsonObject) => Promise<(value: JsonValue) => string | undefined>

/** Remembers what was compiled, by the schema's identity. */
export const rememberingChecks = (compile: CompileSchema): CompileSchema => {
  const compiled = new WeakMap<JsonObject, ReturnType<CompileSchema>>()
  return (schema) => {
    const known = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, known)
    return known
  }
}
