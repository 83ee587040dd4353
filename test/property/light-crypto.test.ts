/** The executable's own hashes and random ids are those of `node:crypto`. */
import * as crypto from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHmac, hash, randomUUID } from '../../scripts/light-crypto.ts'

const data = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array({ maxLength: 300 }))
const encoding = fc.constantFrom('hex' as const, 'base64' as const, 'base64url' as const)

test('a hash is what node:crypto says, of texts and of bytes', () => {
  fc.assert(
    fc.property(fc.constantFrom('sha256', 'sha1'), data, encoding, (algorithm, text, as) => {
      expect(hash(algorithm, text, as)).toBe(crypto.hash(algorithm, text, as))
    }),
  )
})

test('a keyed hash is what node:crypto says, however long the key and in however many pieces the text comes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('sha256', 'sha512'),
      fc.uint8Array({ maxLength: 200 }),
      fc.array(data, { maxLength: 4 }),
      encoding,
      (algorithm, key, pieces, as) => {
        const own = createHmac(algorithm, key)
        const theirs = crypto.createHmac(algorithm, key)
        for (const piece of pieces) {
          own.update(piece)
          theirs.update(piece)
        }
        expect(own.digest(as)).toBe(theirs.digest(as))
      },
    ),
  )
})

test('the hash of "abc" is the one of FIPS 180-4', () => {
  expect(hash('sha256', 'abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('random ids are UUIDs of version 4, no two alike', () => {
  const ids = Array.from({ length: 10_000 }, randomUUID)
  expect(new Set(ids).size).toBe(10_000)
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u)
})
