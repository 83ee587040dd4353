/** `{name}` in the strings of a step, and generated texts. */
import { createHash } from 'node:crypto'
import type { FakeText } from './fake-step.ts'

export type Names = (name: string) => string | undefined

/** Replaces names in every string of a JSON value; unknown ones stay as they are. */
export const filled = (value: unknown, names: Names): unknown => {
  if (typeof value === 'string')
    return value.includes('{')
      ? value.replace(/\{(\w+)\}/g, (whole, name: string) => names(name) ?? whole)
      : value
  if (Array.isArray(value)) return value.map((item) => filled(item, names))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, names)]))
}

export const textOf = (text: FakeText, names: Names): string =>
  typeof text === 'string' ? String(filled(text, names)) : text.fill.repeat(text.times)

/** Names that speak of a prompt's text. */
export const promptName = (name: string, params: unknown): string | undefined => {
  if (!name.startsWith('prompt')) return undefined
  const prompt = (params as { prompt?: unknown } | undefined)?.prompt
  if (!Array.isArray(prompt)) return undefined
  const text = prompt.map((block: { text?: string }) => block.text ?? '').join('')
  switch (name) {
    case 'prompt':
      return text
    case 'promptBytes':
      return String(Buffer.byteLength(text))
    case 'promptSha256':
      return createHash('sha256').update(text).digest('hex')
    default:
      return undefined
  }
}
