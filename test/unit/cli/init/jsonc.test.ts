/** Members are set in JSON with comments, and every other byte stays. */
import { parse } from 'jsonc-parser'
import type { ParseError } from 'jsonc-parser'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsoncFault, setAt } from '../../../../src/cli/init/jsonc.ts'
import type { JsonValue } from '../../../../src/cli/init/jsonc.ts'

const ENTRY = { command: '/n', args: ['acp'] }
const PATH = ['agents', 'S']

describe('a new member', () => {
  test.each([
    [
      'an empty text',
      '',
      '{\n  "agents": {\n    "S": {\n      "command": "/n",\n      "args": ["acp"]\n    }\n  }\n}\n',
    ],
    [
      'comments alone',
      '// mine',
      '// mine\n{\n  "agents": {\n    "S": {\n      "command": "/n",\n      "args": ["acp"]\n    }\n  }\n}\n',
    ],
    [
      'an empty object',
      '{}',
      '{\n  "agents": {\n    "S": {\n      "command": "/n",\n      "args": ["acp"]\n    }\n  }\n}',
    ],
    [
      'an empty object with a comment',
      '{\n  "agents": {\n    // none yet\n  }\n}\n',
      '{\n  "agents": {\n    // none yet\n    "S": {\n      "command": "/n",\n      "args": ["acp"]\n    }\n  }\n}\n',
    ],
    [
      'a last member without a comma, with a comment on its line and one below',
      '{\n\t"agents": {\n\t\t"A": {} // mine\n\t\t// "B": {}\n\t}\n}\n',
      '{\n\t"agents": {\n\t\t"A": {}, // mine\n\t\t// "B": {}\n\t\t"S": {\n\t\t\t"command": "/n",\n\t\t\t"args": ["acp"]\n\t\t}\n\t}\n}\n',
    ],
    [
      'a trailing comma, which the new member gets too',
      '{\n  "agents": {\n    "A": {}, /* mine */\n  },\n}\n',
      '{\n  "agents": {\n    "A": {}, /* mine */\n    "S": {\n      "command": "/n",\n      "args": ["acp"]\n    },\n  },\n}\n',
    ],
    [
      'CRLF',
      '{\r\n    "a": 1\r\n}\r\n',
      '{\r\n    "a": 1,\r\n    "agents": {\r\n        "S": {\r\n            "command": "/n",\r\n            "args": ["acp"]\r\n        }\r\n    }\r\n}\r\n',
    ],
    [
      'one line',
      '{ "a": [1, 2], "agents": {"A": {}} }',
      '{ "a": [1, 2], "agents": {"A": {}, "S": { "command": "/n", "args": ["acp"] }} }',
    ],
    [
      'a brace behind the last member',
      '{\n  "a": 1 }\n',
      '{\n  "a": 1,\n  "agents": {\n    "S": {\n      "command": "/n",\n      "args": ["acp"]\n    }\n  }\n}\n',
    ],
  ])('in %s', (_name, before, after) => {
    expect(setAt(before, PATH, ENTRY)).toBe(after)
  })
})

test('a value that is there is replaced in its place', () => {
  const text = '{\n  "a": { "b": [1], /* why */ "c": 2 },\n  "d": [\n    1\n  ] // end\n}\n'
  expect(setAt(text, ['a', 'b'], ['x', 'y'])).toBe(
    '{\n  "a": { "b": ["x", "y"], /* why */ "c": 2 },\n  "d": [\n    1\n  ] // end\n}\n',
  )
  expect(setAt(text, ['d'], { e: [] })).toBe(
    '{\n  "a": { "b": [1], /* why */ "c": 2 },\n  "d": {\n    "e": []\n  } // end\n}\n',
  )
})

test('a list that is too long for a line has a line for each item', () => {
  const long = 'x'.repeat(80)
  expect(setAt('{}', ['a'], [long, 'y'])).toBe(`{\n  "a": [\n    "${long}",\n    "y"\n  ]\n}`)
})

describe("what can't be changed safely is a fault that says where", () => {
  test.each([
    ['{ "a": ', 'it is no JSON: value expected at line 1, column 8'],
    ['{\n  "a": 1\n  "b": 2\n}', 'it is no JSON: comma expected at line 3, column 3'],
    ['[1]', 'its top level is no object'],
    ['{ "agents": null }', '"agents" is no object'],
    ['{ "agents": {}, "agents": {} }', 'the key "agents" stands twice in one object'],
  ])('%j', (text, message) => {
    expect(() => setAt(text, PATH, ENTRY)).toThrow(new JsoncFault(message))
  })
})

const json = fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .dictionary(
      fc.string().filter((key) => !['agents', '__proto__'].includes(key)),
      tie('value'),
      { maxKeys: 4 },
    )
    .map((record) => ({ ...record })),
}))

/** What may stand between any two tokens. */
const trivia = fc.constantFrom('', ' ', '\n', '\t', '/* , } */', '// "x": {\n', ' /**/ ')

/** The value as text, with white space and comments drawn in between, and trailing commas. */
const scattered = (value: JsonValue, draw: () => string, comma: () => boolean): string => {
  const gap = draw()
  if (typeof value !== 'object' || value === null) return `${gap}${JSON.stringify(value)}${draw()}`
  const isList = Array.isArray(value)
  const items = Object.entries(value).map(
    ([key, item]) =>
      `${isList ? '' : `${draw()}${JSON.stringify(key)}${draw()}:`}${scattered(item, draw, comma)}`,
  )
  const last = items.length > 0 && comma() ? ',' : ''
  return `${gap}${isList ? '[' : '{'}${items.join(',')}${last}${draw()}${isList ? ']' : '}'}${draw()}`
}

const commentsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"|\/\*.*?\*\/|\/\/[^\n]*/gsu)]
    .map(([token]) => token)
    .filter((token) => token.startsWith('/'))

test('whatever the text, the value is set, the rest means the same, and each comment is still there', () => {
  fc.assert(
    fc.property(
      fc.record({ object: json.object }),
      fc.boolean(),
      fc.infiniteStream(trivia),
      fc.infiniteStream(fc.boolean()),
      ({ object }, has, gaps, commas) => {
        const value = has ? { ...(object as object), agents: { A: 1 } } : object
        const text = scattered(
          value,
          () => gaps.next().value as string,
          () => commas.next().value as boolean,
        )
        const after = setAt(text, PATH, ENTRY)
        const errors: ParseError[] = []
        const read = parse(after, errors, { allowTrailingComma: true }) as object
        expect(errors).toEqual([])
        expect(read).toEqual({ ...(value as object), agents: { ...(has && { A: 1 }), S: ENTRY } })
        expect(commentsOf(after)).toEqual(commentsOf(text))
        expect(setAt(after, PATH, ENTRY)).toBe(setAt(setAt(after, PATH, ENTRY), PATH, ENTRY))
      },
    ),
    { numRuns: 500 },
  )
})
