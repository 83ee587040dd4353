/** Lineage tokens: only what this key signed is believed (B2.2, B2.7, C25). */
import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionId } from '../../../src/contract/ids.ts'
import { signLineage, verifyLineage } from '../../../src/lineage/token.ts'

const key = new Uint8Array(32).fill(7)
const claims = { root: sessionId('r-1'), session: sessionId('s-1'), depth: 1, maxDepth: 3 }
const refusal = { code: 'LINEAGE_INVALID', phase: 'depth' }

/** A token with a right signature over any body. */
const forged = (body: string): string => {
  const payload = Buffer.from(body).toString('base64url')
  return `${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`
}

test('B2.7: a token gives back what was signed, with and without a cap', () => {
  expect(verifyLineage(signLineage(claims, key), key)).toEqual(claims)
  const { maxDepth: _, ...open } = claims
  expect(verifyLineage(signLineage(open, key), key)).toEqual(open)
})

test('a token is one word of letters, digits, dash, underscore and one dot', () => {
  expect(signLineage(claims, key)).toMatch(/^[\w-]+\.[\w-]{43}$/)
})

test('C25: a token with any one character changed, dropped or added is refused', () => {
  const token = signLineage(claims, key)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ '.split('')
  fc.assert(
    fc.property(
      fc.nat(token.length - 1),
      fc.constantFrom('', ...alphabet),
      fc.boolean(),
      (at, char, keep) => {
        const changed = `${token.slice(0, at)}${char}${token.slice(keep ? at : at + 1)}`
        fc.pre(changed !== token)
        expect(() => verifyLineage(changed, key)).toThrow(expect.objectContaining(refusal))
      },
    ),
    { numRuns: 1000 },
  )
})

test.each(['', '.', 'abc', 'a.b.c'])('%j is refused as a token', (token) => {
  expect(() => verifyLineage(token, key)).toThrow(expect.objectContaining(refusal))
})

test("B2.7: another user's token is refused", () => {
  const foreign = signLineage(claims, new Uint8Array(32).fill(8))
  expect(() => verifyLineage(foreign, key)).toThrow(expect.objectContaining(refusal))
})

test.each([
  '{"v":1,"root":"r","session":"s","depth":-1}',
  '{"v":1,"root":"r","session":"s","depth":-0}',
  '{"v":1,"root":"r","session":"s","depth":0.5}',
  '{"v":1,"root":"r","session":"s","depth":"2"}',
  '{"v":1,"root":"r","session":"s","depth":9007199254740992}',
  '{"v":1,"root":"r","session":"s","depth":null}',
  '{"v":1,"root":"r","session":"s"}',
  '{"v":1,"root":"r","session":"s","depth":0,"maxDepth":-1}',
  '{"v":1,"root":"r","session":"s","depth":0,"maxDepth":null}',
  '{"v":1,"root":"","session":"s","depth":0}',
  '{"v":2,"root":"r","session":"s","depth":0}',
  '[]',
])('B2.2: the signed body %s is refused', (body) => {
  expect(() => verifyLineage(forged(body), key)).toThrow(expect.objectContaining(refusal))
})
