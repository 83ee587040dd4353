/** The rehearsal model's script language: what is a script, its steps, and the line of each mistake. */
import { describe, expect, test } from 'vitest'
import { isScript, parseScript } from '../../../../src/agent/models/rehearsal-script.ts'

describe('a prompt is a script', () => {
  test.each([
    'say: hello',
    '\n\n  \nsay: hello',
    'hang:',
    'call read: {}',
    'fail 429 once after 2s:',
    'say:\n  hello',
  ])('when its first line is a directive: %j', (prompt) => {
    expect(isScript(prompt)).toBe(true)
  })

  test.each([
    '',
    'hello',
    'say hello',
    'Say: hello',
    'note: say: hello',
    'also call read: {}',
    'say:hello',
    '  say: hi',
  ])('and else it is none: %j', (prompt) => {
    expect(isScript(prompt)).toBe(false)
  })
})

describe('steps', () => {
  test('end after their calls; "also" adds one to them', () => {
    const script = [
      'say: a',
      'call x: {"n": 1}',
      'also ask: why?',
      'think: b',
      'delegate the rest: say: c',
      'say: d',
    ]
    expect(parseScript(script.join('\n'))).toEqual([
      {
        acts: [{ act: 'say', text: 'a' }],
        calls: [
          { tool: 'x', input: '{"n": 1}' },
          { tool: 'ask', input: '{"question":"why?"}' },
        ],
      },
      {
        acts: [{ act: 'think', text: 'b' }],
        calls: [{ tool: 'subagent', input: '{"description":"the rest","prompt":"say: c"}' }],
      },
      { acts: [{ act: 'say', text: 'd' }], calls: [] },
    ])
  })

  test('hold lines that go on, one level of indentation taken off', () => {
    const script = 'delegate:\n  delegate:\n    say: deep\n\n  say: mid\r\nsay: one\n\ttwo'
    expect(parseScript(script)).toEqual([
      {
        acts: [],
        calls: [
          {
            tool: 'subagent',
            input: JSON.stringify({
              description: 'Rehearsed task',
              prompt: 'delegate:\n  say: deep\n\nsay: mid',
            }),
          },
        ],
      },
      { acts: [{ act: 'say', text: 'one\ntwo' }], calls: [] },
    ])
  })

  test('send a raw input as it is, and {} for none', () => {
    expect(parseScript('call x raw: {"broken\nalso call y:')[0]?.calls).toEqual([
      { tool: 'x', input: '{"broken' },
      { tool: 'y', input: '{}' },
    ])
  })

  test.each([
    ['fail 500: down', { act: 'fail', status: 500, message: 'down' }],
    ['fail 500 always:', { act: 'fail', status: 500, message: '' }],
    [
      'fail 429 once after 2s: slow',
      { act: 'fail', status: 429, message: 'slow', times: 1, afterSeconds: 2 },
    ],
    ['fail 529 3 times:', { act: 'fail', status: 529, message: '', times: 3 }],
    ['hang:', { act: 'hang' }],
    ['length:', { act: 'length' }],
    ['refuse:', { act: 'refuse' }],
  ])('%j is read whole', (line, act) => {
    expect(parseScript(line)).toEqual([{ acts: [act], calls: [] }])
  })
})

describe('a mistake names its line', () => {
  test.each([
    ['say: a\ncal x: {}', 'line 2: unknown directive "cal".'],
    ['say: a\n\n\nhello', 'line 4: this is no directive: "hello".'],
    ['say: a\nsay hello', 'line 2: "say" wants a colon, then a space.'],
    ['call x: {"a": }', 'line 1: the input of "x" is no JSON object.'],
    ['call x: [1]', 'line 1: the input of "x" is no JSON object.'],
    ['call x:\n  {"a":\n  nope}', 'line 1: the input of "x" is no JSON object.'],
    ['call: {}', 'line 1: "call" wants the name of one tool'],
    ['call x y: {}', 'line 1: "call" wants the name of one tool'],
    ['delegate:', 'line 1: "delegate" wants a prompt after its colon.'],
    ['fail 200:', 'line 1: "fail" wants a status from 400 to 599'],
    ['fail soon:', 'line 1: "fail" wants a status from 400 to 599'],
    ['hang: on', 'line 1: "hang" takes no text.'],
    ['say loudly: a', 'line 1: "say" takes nothing before its colon.'],
    ['say: a\nalso call x: {}', 'line 2: "also" adds a call to the one before it'],
    ['call x: {}\nalso say: a', 'line 2: "also" adds a call to the one before it'],
    ['hang:\nsay: a', 'line 2: it is never reached: line 1 ends the turn.'],
    ['fail 500:\nsay: a', 'line 2: it is never reached: line 1 ends the turn.'],
    ['refuse: no\n\ncall x: {}', 'line 3: it is never reached: line 1 ends the turn.'],
  ])('%j', (script, message) => {
    expect(() => parseScript(script)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        phase: 'prompt',
        message: expect.stringContaining(`Rehearsal script, ${message}`) as string,
      }),
    )
  })

  test('and suggests what was meant', () => {
    expect(() => parseScript('say: a\ndelgate: b')).toThrow(
      expect.objectContaining({ data: { field: 'prompt', suggestion: 'delegate' } }),
    )
  })
})
