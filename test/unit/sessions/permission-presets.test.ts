/** The current permission preset of a session (B3.9). */
import { expect, test } from 'vitest'
import type { SessionEvent } from '../../../src/contract/events.ts'
import { foldRegisters } from '../../../src/sessions/registers.ts'

const current = (...events: readonly SessionEvent[]): string | undefined =>
  foldRegisters(events.map((event, index) => ({ seq: index + 1, at: 0, event }))).permissionPreset

const preset = (name: string): SessionEvent => ({
  type: 'permission/preset',
  preset: name,
  source: 'delegation',
})
const sandbox = (
  mode: 'read-only' | 'danger-full-access',
  source: 'delegation' | 'request',
): SessionEvent => ({
  type: 'sandbox/mode',
  mode,
  source,
})

test('B3.9: the current preset is the last one', () => {
  expect(current()).toBeUndefined()
  expect(current(preset('auto'))).toBe('auto')
  expect(current(preset('auto'), preset('danger-full-access'))).toBe('danger-full-access')
})

test('B3.9: a later switch of the user that parts from what the preset stands for ends it', () => {
  expect(current(preset('auto'), sandbox('read-only', 'request'))).toBeUndefined()
  expect(
    current(preset('auto'), { type: 'approval/policy', policy: 'ask', source: 'request' }),
  ).toBeUndefined()
})

test('B3.9: a switch that fits it leaves the identity, and so does what a delegation stamps', () => {
  expect(current(preset('auto'), sandbox('danger-full-access', 'request'))).toBe('auto')
  expect(current(preset('danger-full-access'), sandbox('danger-full-access', 'request'))).toBe(
    'danger-full-access',
  )
  expect(current(preset('auto'), sandbox('read-only', 'delegation'))).toBe('auto')
})
