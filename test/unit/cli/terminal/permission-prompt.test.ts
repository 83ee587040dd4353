/** Permission questions to the person at the terminal: what is shown, and what each answer means. */
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { PermissionPrompt } from '../../../../src/cli/terminal/permission-prompt.ts'
import { questionLines } from '../../../../src/cli/terminal/permission-summary.ts'
import type { Question } from '../../../../src/cli/terminal/permission-summary.ts'

const QUESTION: Question = {
  path: ['codex', 'tests'],
  toolCall: {
    toolCallId: 't1',
    title: 'Write notes.md',
    kind: 'edit',
    content: [{ type: 'diff', path: '/w/notes.md', oldText: 'a\nold\nz\n', newText: 'a\nnew\nz\n' }],
  },
  options: [
    { optionId: 'o1', name: 'Allow', kind: 'allow_once' },
    { optionId: 'o2', name: 'Always', kind: 'allow_always' },
    { optionId: 'o3', name: 'Reject', kind: 'reject_once' },
  ],
}

const open = () => {
  const input = new PassThrough()
  let shown = ''
  const output = {
    columns: 60,
    write: (chunk: string) => {
      shown += chunk
    },
  }
  const prompts = (): number => shown.split('Your answer').length - 1
  return {
    prompt: new PermissionPrompt({ input, output }),
    input,
    shown: () => shown,
    /** Answers once the prompt stands there for the n-th time. */
    async type(line: string, nth = 1): Promise<void> {
      while (prompts() < nth) await new Promise((resolve) => setTimeout(resolve, 5))
      input.write(line)
    },
    prompted: async (nth: number): Promise<void> => {
      while (prompts() < nth) await new Promise((resolve) => setTimeout(resolve, 5))
    },
  }
}

describe('what is shown', () => {
  test('the path, the title, the kind, the changed lines and the options with number and key', () => {
    expect(questionLines(QUESTION, 60)).toEqual([
      'codex/tests asks: Write notes.md (edit)',
      '  /w/notes.md',
      '  - old',
      '  + new',
      '  1 y  Allow',
      '  2 a  Always',
      '  3 n  Reject',
    ])
  })

  test('a command is shown as typed, a long text is cut after twelve lines', () => {
    const toolCall = {
      toolCallId: 't1',
      kind: 'execute' as const,
      rawInput: { command: ['rm', '-rf', 'build'] },
    }
    expect(questionLines({ path: [], toolCall, options: [] }, 60)).toEqual([
      'a tool call (execute)',
      '  $ rm -rf build',
    ])
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')
    const content = [{ type: 'content' as const, content: { type: 'text' as const, text } }]
    const lines = questionLines({ path: [], toolCall: { toolCallId: 't', content }, options: [] }, 60)
    expect(lines).toHaveLength(14)
    expect(lines.at(-1)).toBe('  … 8 more lines')
  })

  test('escape sequences of the agent are gone, and no line is wider than the terminal', () => {
    const toolCall = { toolCallId: 't1', title: `\u001B[2J\u001B]0;x\u0007${'漢'.repeat(40)}` }
    const options = [{ optionId: 'o', name: '\u001B[8mhidden', kind: 'reject_once' as const }]
    expect(questionLines({ path: ['a\r\nb'], toolCall, options }, 20)).toEqual([
      'a b asks: 漢漢漢漢…',
      '  1 n  hidden',
    ])
  })
})

describe('the answer', () => {
  test.each([
    ['1\n', 'o1'],
    ['3\n', 'o3'],
    ['y\n', 'o1'],
    [' A \r\n', 'o2'],
    ['no\n', 'o3'],
  ])('%j chooses %s', async (typed, optionId) => {
    const it = open()
    const answer = it.prompt.ask(QUESTION)
    await it.type(typed)
    expect(await answer).toEqual({ outcome: 'selected', optionId })
  })

  test('anything else, also an empty line or a number out of range, asks again', async () => {
    const it = open()
    const answer = it.prompt.ask(QUESTION)
    for (const [index, typed] of ['\n', '4\n', '0\n', 'maybe\n', 'y\n'].entries())
      await it.type(typed, index + 1)
    expect(await answer).toEqual({ outcome: 'selected', optionId: 'o1' })
    expect(it.shown().split('Your answer (1-3, y, a, n): ')).toHaveLength(6)
  })

  test('what was typed before the question stood there does not answer it', async () => {
    const it = open()
    it.input.write('y\n')
    const answer = it.prompt.ask(QUESTION)
    await it.type('n\n')
    expect(await answer).toEqual({ outcome: 'selected', optionId: 'o3' })
  })

  test('several questions are asked one after another', async () => {
    const it = open()
    const first = it.prompt.ask(QUESTION)
    const second = it.prompt.ask({ ...QUESTION, toolCall: { toolCallId: 't2', title: 'Second' } })
    await it.prompted(1)
    expect(it.shown()).not.toContain('Second')
    await it.type('y\n')
    expect(await first).toEqual({ outcome: 'selected', optionId: 'o1' })
    await it.type('n\n', 2)
    expect(await second).toEqual({ outcome: 'selected', optionId: 'o3' })
    expect(it.shown()).toContain('Second')
  })
})

describe('no answer', () => {
  test('C08: an abort withdraws the open question, and the next one is asked', async () => {
    const it = open()
    const abort = new AbortController()
    const first = it.prompt.ask(QUESTION, abort.signal)
    const second = it.prompt.ask(QUESTION)
    await it.prompted(1)
    abort.abort()
    expect(await first).toEqual({ outcome: 'cancelled' })
    expect(it.shown()).toContain('The question was withdrawn.')
    await it.type('y\n', 2)
    expect(await second).toEqual({ outcome: 'selected', optionId: 'o1' })
  })

  test('C08: a question withdrawn before its turn is never shown', async () => {
    const it = open()
    expect(await it.prompt.ask(QUESTION, AbortSignal.abort())).toEqual({ outcome: 'cancelled' })
    expect(it.shown()).toBe('')
  })

  test('the end of the input rejects the open question and each later one at once', async () => {
    const it = open()
    const first = it.prompt.ask(QUESTION)
    await it.prompted(1)
    it.input.end()
    expect(await first).toEqual({ outcome: 'selected', optionId: 'o3' })
    expect(await it.prompt.ask(QUESTION)).toEqual({ outcome: 'selected', optionId: 'o3' })
  })

  test('without an option that rejects, the end of the input cancels', async () => {
    const it = open()
    it.input.end()
    const options = QUESTION.options.slice(0, 2)
    expect(await it.prompt.ask({ ...QUESTION, options })).toEqual({ outcome: 'cancelled' })
  })
})
