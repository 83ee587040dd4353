/** Foreign words and data are cut to what an error may carry (B10.3). */
import { expect, test } from 'vitest'
import { boundedDetail, boundedObject, boundedTail } from '../../../src/contract/bounded.ts'

test.each(['x', 'ü', '漢', '😀'])('a text of %s is cut on a character border, at 4096 bytes', (character) => {
  const long = character.repeat(5000)
  for (const cut of [boundedDetail(`a${long}`), boundedTail(`${long}a`)]) {
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(4096)
    expect(Buffer.byteLength(cut)).toBeGreaterThan(4088)
    expect(cut).not.toContain('\uFFFD')
  }
  expect(boundedDetail(`a${long}`)).toMatch(/^a.*…$/u)
  expect(boundedTail(`${long}a`)).toMatch(/^….*a$/u)
})

test('a text that fits is left as it is', () => {
  expect([boundedDetail('äx'), boundedTail('äx')]).toEqual(['äx', 'äx'])
})

test('data keeps its shape, and its texts, lists and depth are cut', () => {
  const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }
  const data = boundedObject({
    n: 1,
    t: true,
    z: null,
    list: Array(100).fill(1),
    words: 'x'.repeat(9000),
    deep,
  })
  expect(data).toMatchObject({ n: 1, t: true, z: null })
  expect(data['list']).toHaveLength(64)
  expect(data['words']).toHaveLength(4094)
  expect(JSON.stringify(data['deep'])).toBe('{"a":{"b":{"c":{"d":{"e":null}}}}}')
})

test('many long texts together stay bounded, and what is no object is empty', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}`, 'x'.repeat(9000)]))
  expect(JSON.stringify(boundedObject(many)).length).toBeLessThan(30_000)
  expect([null, 1, 'x', [1]].map(boundedObject)).toEqual([{}, {}, {}, {}])
})
