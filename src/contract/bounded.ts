/** Foreign words and data, cut to what an error may carry (B10.3). Pure. */
import { isRecord } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'

const MAX_BYTES = 4096
const MAX_ENTRIES = 64
const MAX_DEPTH = 6

/** The beginning, cut on a character border. */
export const boundedDetail = (detail: string): string => {
  if (Buffer.byteLength(detail) <= MAX_BYTES) return detail
  const bytes = Buffer.from(detail).subarray(0, MAX_BYTES - 3)
  return `${bytes.toString('utf8').replace(/\uFFFD+$/u, '')}…`
}

/** The end, cut on a character border: of what a program wrote, the last words tell the most. */
export const boundedTail = (text: string): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_BYTES) return text
  let start = bytes.length - MAX_BYTES + 3
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return `…${bytes.toString('utf8', start)}`
}

/** Foreign JSON with its texts, lists and depth cut; what is no JSON is left out. */
export const boundedObject = (value: unknown): JsonObject => {
  let left = 4 * MAX_BYTES
  const text = (words: string): string => {
    const kept = left <= 0 ? '' : boundedDetail(words)
    left -= kept.length
    return kept
  }
  const part = (inner: unknown, depth: number): JsonValue => {
    if (typeof inner === 'string') return text(inner)
    if (typeof inner === 'boolean' || (typeof inner === 'number' && Number.isFinite(inner))) return inner
    if (depth >= MAX_DEPTH) return null
    if (Array.isArray(inner)) return inner.slice(0, MAX_ENTRIES).map((entry) => part(entry, depth + 1))
    return isRecord(inner) ? fields(inner, depth) : null
  }
  const fields = (record: Record<string, unknown>, depth: number): JsonObject =>
    Object.fromEntries(
      Object.entries(record)
        .slice(0, MAX_ENTRIES)
        .map(([name, inner]) => [text(name), part(inner, depth + 1)]),
    )
  return isRecord(value) ? fields(value, 0) : {}
}
