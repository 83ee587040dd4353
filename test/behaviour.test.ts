/** Every numbered behaviour that is built has a test that cites it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cited, OPEN, uncited } from '../scripts/behaviour.ts'

test('no numbered behaviour is without a test, but those that are not built yet', () => {
  expect(uncited(join(import.meta.dirname, '..')).filter((number) => !OPEN.includes(number))).toEqual([])
})

test('ranges and lists of numbers are read', () => {
  const words = ['2', '4', '4'].map((number) => `B2.${number}`)
  expect(cited(`as ${words[0]}–${words[1]} say`)).toEqual(['B2.2', 'B2.3', 'B2.4'])
  expect(cited(`${words[2]}, and no more`)).toEqual(['B2.4'])
})
