/** The sandbox policy: what goes on by itself, what is asked, and what an answer means (B4). */
import { describe, expect, test } from 'vitest'
import { authorize, decideAccess, reasonToAsk, unaskedWith } from '../../../src/agent/sandbox.ts'
import { toolHouse } from '../../fixtures/tool-house.ts'

describe('an access', () => {
  test.each([
    ['read-only', 'read', true, 'allow'],
    ['read-only', 'read', false, 'ask'],
    ['read-only', 'write', true, 'ask'],
    ['read-only', 'write', false, 'ask'],
    ['workspace-write', 'read', true, 'allow'],
    ['workspace-write', 'read', false, 'ask'],
    ['workspace-write', 'write', true, 'allow'],
    ['workspace-write', 'write', false, 'ask'],
    ['danger-full-access', 'read', true, 'allow'],
    ['danger-full-access', 'read', false, 'allow'],
    ['danger-full-access', 'write', true, 'allow'],
    ['danger-full-access', 'write', false, 'allow'],
  ] as const)('under %s: a %s with inside %s → %s', (mode, kind, inside, decision) => {
    expect(decideAccess({ mode, kind, inside })).toBe(decision)
  })

  test.each(['read-only', 'workspace-write', 'danger-full-access'] as const)(
    'B4.4: an explicit permission policy lets every write ask under %s, and no read inside',
    (mode) => {
      const facts = { mode, inside: true, asksForWrites: true }
      expect(decideAccess({ ...facts, kind: 'write' })).toBe('ask')
      expect(decideAccess({ ...facts, kind: 'read' })).toBe('allow')
    },
  )

  test('says why it needs asking', () => {
    const outside = "it lies outside of the session's directories"
    expect(reasonToAsk({ mode: 'read-only', kind: 'write', inside: true })).toBe('the sandbox is read-only')
    expect(reasonToAsk({ mode: 'read-only', kind: 'read', inside: false })).toBe(outside)
    expect(reasonToAsk({ mode: 'workspace-write', kind: 'write', inside: false })).toBe(outside)
    expect(reasonToAsk({ mode: 'read-only', kind: 'write', inside: false })).toBe(
      `the sandbox is read-only, and ${outside}`,
    )
    for (const mode of ['workspace-write', 'danger-full-access'] as const)
      expect(reasonToAsk({ mode, kind: 'write', inside: true, asksForWrites: true })).toBe(
        'the permission policy of this run asks before every write',
      )
  })
})

describe('what would have let it go on unasked', () => {
  const CONFIG = '"permission": "allow" in the configuration'

  test.each([
    ['read-only', 'write', true, false, '--sandbox workspace-write'],
    ['read-only', 'write', false, false, '--sandbox danger-full-access'],
    ['read-only', 'read', false, false, '--sandbox danger-full-access'],
    ['workspace-write', 'write', false, false, '--sandbox danger-full-access'],
    ['workspace-write', 'write', true, true, CONFIG],
    ['read-only', 'write', true, true, `--sandbox workspace-write and ${CONFIG}`],
    ['read-only', 'read', false, true, '--sandbox danger-full-access'],
  ] as const)('%s, %s, inside %s, asks for writes %s: %s', (mode, kind, inside, asksForWrites, flag) => {
    expect(unaskedWith({ mode, kind, inside, asksForWrites })).toBe(flag)
  })
})

describe('an answer', () => {
  const access = { kind: 'write', inside: false, path: '/x', title: 'Write /x', toolKind: 'edit' } as const

  test('"allowed" lets the call go on, and the next call asks again', async () => {
    const { context, asked } = toolHouse({ answer: 'allowed' })
    expect(await authorize(access, context)).toBe(true)
    expect(await authorize(access, context)).toBe(true)
    expect(asked).toHaveLength(2)
    expect(asked[0]).toEqual({
      title: 'Write /x',
      kind: 'edit',
      reason: "it lies outside of the session's directories",
      flag: '--sandbox danger-full-access',
      locations: [{ path: '/x' }],
    })
  })

  test.each([
    ['rejected', 'the approval that it needs was rejected'],
    ['cancelled', 'the question for approval was cancelled'],
    ['unavailable', 'nobody could be asked for approval'],
  ] as const)('"%s" refuses it, and says what and why', async (answer, words) => {
    const { context } = toolHouse({ answer })
    await expect(authorize(access, context)).rejects.toThrow(
      `Write /x was not done: it lies outside of the session's directories, and ${words}. Nothing was written.`,
    )
  })

  test('B4.2: a service that throws fails closed', async () => {
    const { context } = toolHouse({ answer: () => Promise.reject(new Error('gone')) })
    await expect(authorize(access, context)).rejects.toThrow('nobody could be asked for approval')
  })

  test('no question is asked where the policy allows', async () => {
    const { context, asked } = toolHouse()
    expect(await authorize({ ...access, inside: true }, context)).toBe(false)
    expect(asked).toEqual([])
  })
})
