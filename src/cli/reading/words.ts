/** Times, sizes and names as people read them. Pure. */
import type { SessionId } from '../../contract/ids.ts'
import type { Usage } from '../../contract/result.ts'
import { elapsed } from '../terminal/status-line.ts'
import type { Paint } from './paint.ts'
import { stateWords } from './state.ts'
import type { SessionState } from './state.ts'

const DAY_MS = 86_400_000

/** `7s`, `2m05s`, `1h02m`, `3d`. */
export const age = (ms: number): string => (ms < DAY_MS ? elapsed(ms) : `${Math.floor(ms / DAY_MS)}d`)

/** `840 ms`, then as `elapsed` has it. */
export const took = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : elapsed(ms))

/** `840`, `12.3k`, `1.2M`. */
export const tokens = (count: number): string => {
  if (count < 1000) return String(count)
  if (count < 1_000_000) return `${short(count / 1000)}k`
  return `${short(count / 1_000_000)}M`
}

const short = (value: number): string =>
  value < 100 ? value.toFixed(1).replace(/\.0$/u, '') : value.toFixed(0)

export const cost = (usd: number): string => `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`

export const usageWords = ({ inputTokens, outputTokens, costUsd }: Usage): string =>
  [
    `${tokens(inputTokens)} tokens in`,
    `${tokens(outputTokens)} out`,
    ...(costUsd === undefined ? [] : [cost(costUsd)]),
  ].join(', ')

const two = (value: number): string => String(value).padStart(2, '0')

/** `10:21:04`, in local time. */
export const clock = (at: number): string => {
  const time = new Date(at)
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')
}

/** `2026-12-01 10:21:04`, in local time. */
export const dated = (at: number): string => {
  const time = new Date(at)
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock(at)}`
}

const SHORTEST = 12

/** The beginnings of ids that tell them apart, none shorter than a person can trust. */
export const shortIds = (ids: readonly SessionId[]): ReadonlyMap<SessionId, string> => {
  const different = new Set(ids).size
  let length = SHORTEST
  while (new Set(ids.map((id) => id.slice(0, length))).size < different) length += 1
  return new Map(ids.map((id) => [id, id.slice(0, length)]))
}

const COLORS: { readonly [S in SessionState]?: Paint } = {
  needs_you: 'yellow',
  running: 'cyan',
  lost: 'red',
  failed: 'red',
  completed: 'green',
}

/** The color of a state's words. */
export const stateColor = (words: string): Paint | undefined =>
  Object.entries(COLORS).find(([state]) => stateWords(state as SessionState) === words)?.[1]
