/** How long a model service asks to be left alone: its headers, or Gemini's word in the error itself. Pure. */
import { isRecord } from '../../contract/json.ts'

const ms = (value: number): number | undefined =>
  Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined

const seconds = (text: string): number | undefined => {
  const [, digits] = /^(\d+(?:\.\d+)?)s?$/u.exec(text.trim()) ?? []
  return digits === undefined ? undefined : ms(Number(digits) * 1_000)
}

/** Seconds, or a date. */
const retryAfter = (text: string, now: number): number | undefined => {
  const delay = seconds(text)
  if (delay !== undefined) return delay
  // The platform makes a date of nearly anything; one of HTTP begins with its weekday.
  const date = /^[a-z]{3}/iu.test(text.trim()) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** `google.rpc.RetryInfo` among the details of an error. */
const retryInfo = (details: unknown): number | undefined => {
  if (!Array.isArray(details)) return undefined
  const delays = details.map((detail) => (isRecord(detail) ? detail['retryDelay'] : undefined))
  const delay = delays.find((found) => typeof found === 'string')
  return delay === undefined ? undefined : seconds(delay)
}

export const retryAfterMs = (
  headers: Readonly<Record<string, unknown>>,
  details: unknown,
  now: number,
): number | undefined => {
  const header = (name: string): string | undefined => {
    const value = headers[name]
    return typeof value === 'string' ? value : undefined
  }
  const exact = header('retry-after-ms')
  if (exact !== undefined && exact.trim() !== '') return ms(Number(exact))
  const after = header('retry-after')
  return after === undefined ? retryInfo(details) : retryAfter(after, now)
}
