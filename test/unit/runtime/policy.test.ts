/** What permission policies answer by themselves, and how far a child may choose (B4.4). */
import { describe, expect, test } from 'vitest'
import type { PermissionOption, ToolKind } from '../../../src/contract/content.ts'
import type { PermissionPolicy, SandboxMode } from '../../../src/contract/request.ts'
import { allowingFlag } from '../../../src/sessions/denials.ts'
import { decide, effectivePolicy, effectiveSandbox, rejection } from '../../../src/runtime/policy.ts'

const option = (kind: PermissionOption['kind']): PermissionOption => ({ optionId: kind, name: kind, kind })
const ALL = [option('allow_always'), option('allow_once'), option('reject_always'), option('reject_once')]
const picked = (optionId: string): object => ({ outcome: 'selected', optionId })

describe('B4.4: the policy', () => {
  test.each<[PermissionPolicy, ToolKind, 'ask' | 'allow_once' | 'reject_once']>([
    ['allow', 'execute', 'allow_once'],
    ['allow', 'read', 'allow_once'],
    ['deny', 'read', 'reject_once'],
    ['deny', 'edit', 'reject_once'],
    ['allow-reads', 'read', 'allow_once'],
    ['allow-reads', 'search', 'allow_once'],
    ['allow-reads', 'fetch', 'ask'],
    ['allow-reads', 'edit', 'ask'],
    ['allow-reads', 'other', 'ask'],
    ['ask', 'read', 'ask'],
    ['ask', 'edit', 'ask'],
  ])('%s answers a call of kind %s with %s', (policy, kind, expected) => {
    const verdict = decide(policy, kind, ALL)
    if (expected === 'ask') expect(verdict).toBe('ask')
    else
      expect(verdict).toEqual({ by: 'policy', allowed: expected === 'allow_once', outcome: picked(expected) })
  })

  test('allow never picks allow_always: where that is all there is, it rejects', () => {
    const verdict = decide('allow', 'edit', [option('allow_always'), option('reject_once')])
    expect(verdict).toEqual({ by: 'policy', allowed: false, outcome: picked('reject_once') })
  })
})

test('rule 8: a rejection is the reject option, once before always, and cancelled where none is offered', () => {
  expect(rejection(ALL)).toEqual(picked('reject_once'))
  expect(rejection([option('allow_once'), option('reject_always')])).toEqual(picked('reject_always'))
  expect(rejection([option('allow_once')])).toEqual({ outcome: 'cancelled' })
})

test('a denial names the flag that would have allowed it', () => {
  expect([allowingFlag('read'), allowingFlag('search'), allowingFlag('execute')]).toEqual([
    '--permission allow-reads',
    '--permission allow-reads',
    '--permission allow',
  ])
})

const WIDTHS: readonly PermissionPolicy[] = ['deny', 'ask', 'allow-reads', 'allow']
const MODES: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']

describe('law 11: a child', () => {
  test("takes the agent's configured policy or a narrower one", () => {
    for (const [wide, configured] of WIDTHS.entries()) {
      expect(effectivePolicy(undefined, configured, true)).toBe(configured)
      for (const [width, requested] of WIDTHS.entries()) {
        const choose = (): PermissionPolicy => effectivePolicy(requested, configured, true)
        if (width <= wide) expect(choose()).toBe(requested)
        else expect(choose).toThrow(`permission "${requested}"`)
        expect(effectivePolicy(requested, configured, false)).toBe(requested)
      }
    }
  })

  test("takes its parent's sandbox or a narrower one", () => {
    expect(effectiveSandbox(undefined, undefined)).toBeUndefined()
    for (const [wide, inherited] of MODES.entries()) {
      expect(effectiveSandbox(undefined, inherited)).toBe(inherited)
      expect(effectiveSandbox(inherited, undefined)).toBe(inherited)
      for (const [width, requested] of MODES.entries()) {
        const choose = (): SandboxMode | undefined => effectiveSandbox(requested, inherited)
        if (width <= wide) expect(choose()).toBe(requested)
        else expect(choose).toThrow(`sandbox "${requested}"`)
      }
    }
  })
})
