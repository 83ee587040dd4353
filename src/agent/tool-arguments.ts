/** A model's arguments for a tool: its text as JSON, held to the schema. What is wrong goes back to the model. */
import { isRecord } from '../contract/json.ts'
import type { JsonObject } from '../contract/json.ts'
import type { CompileSchema } from './tools/input-check.ts'
import type { Tool } from './tools/tool.ts'

export type Arguments = { readonly input: JsonObject } | { readonly problem: string }

export const parseArguments = (tool: string, raw: string): Arguments => {
  if (raw.trim() === '') return { input: {} }
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return {
      problem: `The arguments of ${tool} are no valid JSON: ${detail}. Call it again with a JSON object.`,
    }
  }
  if (isRecord(value)) return { input: value as JsonObject }
  return { problem: `The arguments of ${tool} are JSON, but no object. Call it again with a JSON object.` }
}

/** Undefined when the input fits. A schema that is none itself lets nothing pass. */
export const misfit = async (
  { name, inputSchema }: Tool,
  input: JsonObject,
  compile: CompileSchema,
): Promise<string | undefined> => {
  const wrong = await compile(inputSchema)
    .then((check) => check(input))
    .catch(
      (error: unknown) => `it can't be checked: ${error instanceof Error ? error.message : String(error)}`,
    )
  return wrong && `The arguments of ${name} don't fit its schema: ${wrong}. Correct them and call it again.`
}

export const unknownTool = (name: string, known: readonly string[]): string =>
  known.length === 0
    ? `There is no tool "${name}" here, nor any other. Answer without tools.`
    : `There is no tool "${name}" here. The tools are: ${known.join(', ')}.`
