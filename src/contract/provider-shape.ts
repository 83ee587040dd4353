/** Whether a value of foreign code is a provider, as far as that can be seen. Pure. */
import { isRecord } from './json.ts'
import type { SubagentProvider } from './provider.ts'

export const isProvider = (value: unknown): value is SubagentProvider =>
  isRecord(value) &&
  typeof value['name'] === 'string' &&
  value['name'] !== '' &&
  typeof value['open'] === 'function' &&
  isRecord(value['capabilities']) &&
  Array.isArray(value['negotiated'])
