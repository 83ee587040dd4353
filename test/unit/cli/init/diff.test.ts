/** The difference that a person confirms. */
import { expect, test } from 'vitest'
import { diffText } from '../../../../src/cli/init/diff.ts'

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')

test('shows what goes and what comes, with three lines around', () => {
  const before = numbered(9)
  expect(diffText(before, before.replace('5\n', 'five\nsix\n'))).toBe(
    '@@ line 2 @@\n 2\n 3\n 4\n-5\n+five\n+six\n 6\n 7\n 8\n',
  )
})

test.each([
  ['', 'a\nb\n', '@@ line 1 @@\n+a\n+b\n'],
  ['a\n', 'a\na\n', '@@ line 1 @@\n a\n+a\n'],
  ['a\r\nb\r\n', 'a\r\nc\r\nb\r\n', '@@ line 1 @@\n a\n+c\n b\n'],
  ['a', 'b', '@@ line 1 @@\n-a\n+b\n'],
  ['a\n', 'a\n', ''],
])('%j to %j', (before, after, diff) => {
  expect(diffText(before, after)).toBe(diff)
})
