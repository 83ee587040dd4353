/** Reads the fields of a tool's input; what is missing, unknown or of the wrong kind is said by name. */
import type { JsonObject } from '../../contract/json.ts'
import { isRecord } from '../../contract/json.ts'
import { ToolFailure } from './failure.ts'

export const checkKeys = (input: JsonObject, schema: JsonObject): void => {
  const known = isRecord(schema['properties']) ? Object.keys(schema['properties']) : []
  const unknown = Object.keys(input).filter((key) => !known.includes(key))
  if (unknown.length > 0)
    throw new ToolFailure(`Unknown field ${unknown.join(', ')}. The fields are ${known.join(', ')}.`)
}

export const optionalText = (input: JsonObject, field: string): string | undefined => {
  const value = input[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw new ToolFailure(`${field} must be a string.`)
}

export const text = (input: JsonObject, field: string): string => {
  const value = optionalText(input, field)
  if (value === undefined) throw new ToolFailure(`${field} is missing. It must be a string.`)
  return value
}

export const count = (input: JsonObject, field: string, least: number): number | undefined => {
  const value = input[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value
  throw new ToolFailure(`${field} must be a whole number of at least ${least}.`)
}

export const flag = (input: JsonObject, field: string): boolean => {
  const value = input[field] ?? false
  if (typeof value === 'boolean') return value
  throw new ToolFailure(`${field} must be true or false.`)
}
