/** The tool through which an answer is given that a schema was asked for (B13.1). One for each run. */
import { isRecord } from '../contract/json.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Tool, ToolResult } from './tools/tool.ts'

export const STRUCTURED_OUTPUT_TOOL = 'submit_result'

const DEFINITIONS = ['$defs', 'definitions'] as const

/** Arguments are objects: a schema for anything else is asked for under "value". Definitions stay at the root. */
const wrapped = (schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: { value: schema },
  required: ['value'],
  additionalProperties: false,
  ...Object.fromEntries(DEFINITIONS.flatMap((key) => (isRecord(schema[key]) ? [[key, schema[key]]] : []))),
})

const DENIED: ToolResult = {
  text: 'The result was delivered before, and it stands. A second one is denied: end your turn.',
  isError: true,
}

export class StructuredOutput {
  readonly tool: Tool
  /** Handed over, while the call that did so has no final result. */
  readonly #candidates = new Map<string, JsonValue>()
  #value: { readonly value: JsonValue } | undefined

  constructor(schema: JsonObject) {
    const isObject = schema['type'] === 'object'
    this.tool = {
      name: STRUCTURED_OUTPUT_TOOL,
      kind: 'other',
      description:
        'Delivers the result of your task in the form that was asked for. Call it exactly once, when all else is ' +
        'done; without it the task has failed. If it refuses the arguments, correct them and call it again.',
      inputSchema: isObject ? schema : wrapped(schema),
      title: () => 'Deliver the result',
      run: (input, { callId }) =>
        Promise.resolve(this.#deliver(callId, isObject ? input : (input['value'] ?? null))),
    }
  }

  /** The value that counts; undefined when there is none. */
  value(): JsonValue | undefined {
    return this.#value?.value
  }

  /** The value counts only when its call's final result succeeded. */
  settled(callId: string, succeeded: boolean): void {
    const value = this.#candidates.get(callId)
    this.#candidates.delete(callId)
    if (succeeded && value !== undefined) this.#value ??= { value }
  }

  #deliver(callId: string, value: JsonValue): ToolResult {
    if (this.#value !== undefined || this.#candidates.size > 0) return DENIED
    this.#candidates.set(callId, value)
    return { text: 'The result is delivered.' }
  }
}
