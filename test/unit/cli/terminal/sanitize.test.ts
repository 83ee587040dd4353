/** Foreign text on a terminal: what goes, what stays, and what waits for its other half. */
import { array, assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { harmless, harmlessChunk, plain } from '../../../../src/cli/terminal/sanitize.ts'

describe('harmless text', () => {
  test.each([
    ['C01: clear screen and home', '\u001B[2J\u001B[Hready', 'ready'],
    ['colours', '\u001B[1;31mred\u001B[0m', 'red'],
    ['a title set by BEL', 'a\u001B]0;owned\u0007b', 'ab'],
    ['a clipboard write ended by ST', 'a\u001B]52;c;ZXZpbA==\u001B\\b', 'ab'],
    ['a hyperlink around text', '\u001B]8;;http://x\u001B\\text\u001B]8;;\u001B\\', 'text'],
    ['device control', 'a\u001BPq#0\u001B\\b', 'ab'],
    ['eight-bit introducers', 'a\u009B31mb\u009D0;t\u009Cc', 'abc'],
    ['a full reset', '\u001Bcx', 'x'],
    ['the alternate character set', '\u001B(0lqk', 'lqk'],
    ['bell and backspace', 'rm\u0007 -rf\b\b\b\b', 'rm -rf'],
    ['a carriage return that overwrites', 'evil\rgood', 'evil\ngood'],
    ['Windows line ends', 'a\r\nb', 'a\nb'],
    ['direction overrides', 'user\u202Egnp.exe\u2066', 'usergnp.exe'],
    ['an unterminated command loses its introducer alone', '\u001B]0;all the rest', '0;all the rest'],
  ])('%s', (_, text, expected) => {
    expect(harmless(text)).toBe(expected)
  })

  test('ordinary text of any script stays as it is, with its lines and tabs', () => {
    const text = 'Zeile\n\tçédille 漢字 👩‍👩‍👧 العربية\n'
    expect(harmless(text)).toBe(text)
  })

  test('a title becomes one line', () => {
    expect(plain('  Read\n\t\u001B[31ma.ts\u001B[0m \u2028 now ')).toBe('Read a.ts now')
  })
})

const through = (chunks: readonly string[]): string => {
  let [said, carry] = ['', '']
  for (const chunk of chunks) {
    const next = harmlessChunk(carry, chunk)
    said += next.text
    carry = next.carry
  }
  return said + harmless(carry)
}

describe('text in chunks', () => {
  test('a sequence that is cut anywhere goes as a whole', () => {
    const text = 'a\u001B[2Jb\u001B]0;title\u001B\\c\r\nd\u009B1;31me'
    for (let at = 0; at <= text.length; at += 1)
      expect(through([text.slice(0, at), text.slice(at)])).toBe('abc\nde')
    expect(through(text.split(''))).toBe('abc\nde')
  })

  test('text before the cut is not kept waiting', () => {
    expect(harmlessChunk('', 'hello\u001B[')).toEqual({ text: 'hello', carry: '\u001B[' })
    expect(harmlessChunk('', 'plain')).toEqual({ text: 'plain', carry: '' })
  })

  test('an endless sequence is given up after 4096 characters', () => {
    const { text, carry } = harmlessChunk('\u001B]0;', 'x'.repeat(5000))
    expect(carry).toBe('')
    expect(text).toBe(`0;${'x'.repeat(5000)}`)
  })

  test('no control character but line end and tab comes through, however the text is cut', () => {
    assert(
      property(
        array(
          string({
            unit: constantFrom(
              '\u001B',
              '\u009B',
              '[',
              ']',
              '\\',
              '\u0007',
              '\r',
              '\n',
              'P',
              '3',
              ';',
              'm',
              'x',
              '\u0090',
              '\u009C',
            ),
            maxLength: 12,
          }),
        ),
        (chunks) => {
          expect(through(chunks)).not.toMatch(/[\p{Cc}--[\n\t]]/v)
        },
      ),
    )
  })
})
