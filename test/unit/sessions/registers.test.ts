/** Registers: the state that is kept up on append, and says the same as the whole log. */
import { expect, test } from 'vitest'
import type { LogEntry, SessionEvent } from '../../../src/contract/events.ts'
import { foldRegisters } from '../../../src/sessions/registers.ts'
import { entry, RUN, saying, settled, started } from '../../fixtures/entries.ts'

const log = (...events: readonly SessionEvent[]): readonly LogEntry[] =>
  events.map((event, index) => entry(index + 1, event, event.type.startsWith('run/') ? RUN : undefined))

const failed: SessionEvent = {
  type: 'run/settled',
  status: 'failed',
  category: 'process',
  denied: [],
  durationMs: 1,
}

test('an open run stands in the registers until it settles', () => {
  expect(foldRegisters(log(started))).toEqual({ lastCompleted: 0, openRun: RUN })
  expect(foldRegisters(log(started, saying('a'), settled))).toEqual({
    lastCompleted: 3,
    lastStatus: 'completed',
  })
})

test('B8.1: only a completed turn moves the place where a fork begins', () => {
  expect(foldRegisters(log(started, settled, started, failed))).toEqual({
    lastCompleted: 2,
    lastStatus: 'failed',
  })
})

const descriptor = (version: number): SessionEvent => ({
  type: 'subagent/descriptor',
  version,
  provider: 'p',
  mode: 'kept',
})

test('B3.5: the last event of each kind wins', () => {
  const entries = log(
    { type: 'sandbox/mode', mode: 'read-only', source: 'delegation' },
    { type: 'sandbox/mode', mode: 'workspace-write', source: 'request' },
    { type: 'permission/preset', preset: 'auto', source: 'delegation' },
    { type: 'approval/policy', policy: 'never', source: 'delegation' },
    { type: 'session/native_id', nativeId: 'a' },
    { type: 'session/native_id', nativeId: 'b' },
    descriptor(2),
    descriptor(3),
  )
  expect(foldRegisters(entries)).toEqual({
    lastCompleted: 0,
    sandbox: 'workspace-write',
    permissionPreset: 'auto',
    approvalPolicy: 'never',
    approvalSource: 'delegation',
    nativeId: 'b',
    descriptor: descriptor(3),
  })
})

test('forms that wait for a person are known until they are answered, and end with their run', () => {
  const begun: SessionEvent = { type: 'run/started', provider: 'p', depth: 0 }
  const asked = (id: string): SessionEvent => ({ type: 'elicitation/requested', id, message: 'Which?' })
  const answered = (id: string): SessionEvent => ({ type: 'elicitation/resolved', id, action: 'cancel' })
  const forms = (...events: readonly SessionEvent[]) => foldRegisters(log(...events)).forms
  expect(forms(begun, asked('a'), asked('b'))).toEqual(['a', 'b'])
  expect(forms(begun, asked('a'), asked('b'), answered('a'))).toEqual(['b'])
  expect(forms(begun, asked('a'), answered('a'))).toBe(undefined)
  expect(forms(begun, asked('a'), failed)).toBe(undefined)
})
