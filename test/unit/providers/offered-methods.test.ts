import { describe, expect, test } from 'vitest'
import { initializeParams } from '../../../src/providers/acp/handshake.ts'
import { methodsFor } from '../../../src/providers/acp/offered-methods.ts'
import { shareKey } from '../../../src/providers/acp/sharing.ts'
import type { ResolvedStartRequest } from '../../../src/contract/request.ts'
import { ALL_OFFERED } from '../../fixtures/recorded-client.ts'

const NO_FORMS = { form: false, url: false }

describe('what an agent is offered of a client', () => {
  test('is nothing where no client is and nothing was configured', () => {
    expect(methodsFor({})).toEqual({
      read: undefined,
      write: undefined,
      terminal: undefined,
      elicitation: NO_FORMS,
    })
  })

  test('is what the client offers, and no more', () => {
    const offer = { ...ALL_OFFERED, writeTextFile: false, elicitation: { form: true, url: false } }
    expect(methodsFor({}, offer)).toEqual({
      read: 'client',
      write: undefined,
      terminal: 'client',
      elicitation: { form: true, url: false },
    })
  })

  test('is served here as far as it was configured and no client has it', () => {
    const offer = { ...ALL_OFFERED, writeTextFile: false }
    expect(methodsFor({ read: true, write: true }, offer)).toMatchObject({
      read: 'client',
      write: 'local',
      terminal: 'client',
    })
  })

  test('leaves out what the configuration says false to', () => {
    expect(methodsFor({ read: false, write: false, terminal: false }, ALL_OFFERED)).toMatchObject({
      read: undefined,
      write: undefined,
      terminal: undefined,
    })
  })

  test.each([
    ['read-only', ['client', undefined, undefined]],
    ['workspace-write', ['client', 'client', undefined]],
    ['danger-full-access', ['client', 'client', 'client']],
  ] as const)(
    'law 11: under the sandbox %s lets nothing out of it, whoever serves it',
    (sandbox, offered) => {
      const { read, write, terminal } = methodsFor({}, ALL_OFFERED, sandbox)
      expect([read, write, terminal]).toEqual(offered)
      const local = methodsFor({ read: true, write: true, terminal: true }, undefined, sandbox)
      expect([local.read, local.write, local.terminal]).toEqual(
        offered.map((source) => (source === undefined ? undefined : 'local')),
      )
    },
  )

  test('is said in the handshake', () => {
    const said = (methods: ReturnType<typeof methodsFor>): unknown =>
      initializeParams('1', methods).clientCapabilities
    expect(said(methodsFor({}, ALL_OFFERED))).toMatchObject({
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      elicitation: { form: {}, url: {} },
    })
    const offer = { ...ALL_OFFERED, elicitation: { form: false, url: true } }
    expect(said(methodsFor({}, offer))).toMatchObject({ elicitation: { url: {} } })
    expect(said(methodsFor({}))).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
    })
    expect(said(methodsFor({}))).not.toHaveProperty('elicitation')
  })

  test('is one thing for all that share a process', () => {
    const child = { parentSessionId: 'p', rootSessionId: 'r', depth: 1, cwd: '/w' } as ResolvedStartRequest
    const key = (offer: typeof ALL_OFFERED): unknown => shareKey(child, {}, methodsFor({}, offer))
    const keys = new Set([
      key(ALL_OFFERED),
      key({ ...ALL_OFFERED, readTextFile: false }),
      key({ ...ALL_OFFERED, writeTextFile: false }),
      key({ ...ALL_OFFERED, terminal: false }),
      key({ ...ALL_OFFERED, elicitation: NO_FORMS }),
      key({ ...ALL_OFFERED, elicitation: { form: true, url: false } }),
    ])
    expect(keys.size).toBe(6)
    expect(key(ALL_OFFERED)).toBe(key({ ...ALL_OFFERED }))
  })
})
