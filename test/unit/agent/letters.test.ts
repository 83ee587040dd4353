/** Letters in a turn of the built-in agent: when they are read, what the turn waits for, and what is kept of them. */
import { describe, expect, test } from 'vitest'
import { History } from '../../../src/agent/history.ts'
import { letterPrompt, letterWords } from '../../../src/contract/letter-words.ts'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import type { Letter, LetterBody } from '../../../src/contract/letters.ts'
import type { TurnLetters } from '../../../src/contract/provider.ts'
import type { RunStatus } from '../../../src/contract/result.ts'
import { answer, call, says } from '../../fixtures/agent/scripted-model.ts'
import { turnRig } from '../../fixtures/agent/turn-rig.ts'
import { until } from '../../fixtures/house.ts'

const letter = (id: number, body: LetterBody): Letter => ({
  id,
  to: sessionId('p'),
  from: sessionId('c'),
  at: 0,
  ...body,
})
const report = (id: number, text: string): Letter => letter(id, { kind: 'report', text, label: 'look' })

interface Desk extends TurnLetters {
  come(...letters: readonly Letter[]): void
  over(): void
}

/** Children are at work until a test says that they aren't. */
const desk = (): Desk => {
  let waiting: Letter[] = []
  let atWork = true
  let change = Promise.withResolvers<void>()
  const stir = (): void => {
    change.resolve()
    change = Promise.withResolvers()
  }
  const read = (): readonly Letter[] => waiting.splice(0)
  return {
    read,
    expected: () => atWork || waiting.length > 0,
    next: async (signal) => {
      const aborted = new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      )
      while (!signal.aborted) {
        if (waiting.length > 0) return read()
        if (!atWork) return undefined
        await Promise.race([change.promise, aborted])
      }
      return undefined
    },
    come: (...letters) => {
      waiting = [...waiting, ...letters]
      stir()
    },
    over: () => {
      atWork = false
      stir()
    },
  }
}

const usersIn = (rig: ReturnType<typeof turnRig>, n: number): readonly string[] =>
  rig
    .asked(n)
    .flatMap(({ role, content }) =>
      role === 'user' && typeof content !== 'string'
        ? content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
        : [],
    )

const told = (text: string): string =>
  `<subagent-report agent="c" description="look">\n${text}\n</subagent-report>`

describe('B11.2: a turn', () => {
  test('reads what waits before its first step and between steps, in order', async () => {
    const letters = desk()
    letters.come(report(1, 'one'), report(2, 'two'))
    const rig = turnRig({ letters, answers: [answer(call('a', 'echo', {})), answer(...says('Fine.'))] })
    letters.over()
    await rig.run()
    expect(usersIn(rig, 0)).toEqual(['go', told('one'), told('two')])
    expect(rig.asked(1).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'user',
      'user',
      'assistant',
      'tool',
    ])
  })

  test('that has ended waits for children at work, and goes on with what came', async () => {
    const letters = desk()
    const rig = turnRig({ letters, answers: [answer(...says('Waiting.')), answer(...says('Got it.'))] })
    const running = rig.run()
    await until(() => rig.story().at(-1) === 'text: Waiting.')
    letters.come(report(1, 'one'))
    await until(() => rig.story().at(-1) === 'text: Got it.')
    letters.over()
    expect(await running).toMatchObject({ ended: 'completed' })
    expect(usersIn(rig, 1)).toEqual(['go', told('one')])
    expect(rig.model.requests).toHaveLength(2)
  })

  test('that waits is ended by a cancel, and goes on with text that is given to it', async () => {
    const letters = desk()
    const rig = turnRig({ letters, answers: [answer(...says('Waiting.')), answer(...says('Again.'))] })
    const running = rig.run()
    await until(() => rig.story().at(-1) === 'text: Waiting.')
    expect(rig.inbox.steer([{ type: 'text', text: 'hurry' }])).toBe(true)
    await until(() => rig.story().at(-1) === 'text: Again.')
    expect(usersIn(rig, 1)).toEqual(['go', 'hurry'])
    rig.abort.abort()
    expect(await running).toMatchObject({ ended: 'cancelled' })
  })

  test('loses no letter that comes together with such text', async () => {
    const letters = desk()
    const rig = turnRig({ letters, answers: [answer(...says('Waiting.')), answer(...says('Again.'))] })
    const running = rig.run()
    await until(() => rig.story().at(-1) === 'text: Waiting.')
    rig.inbox.steer([{ type: 'text', text: 'hurry' }])
    letters.come(report(1, 'one'))
    await until(() => rig.story().at(-1) === 'text: Again.')
    letters.over()
    await running
    expect(usersIn(rig, 1).toSorted()).toEqual([told('one'), 'go', 'hurry'].toSorted())
  })
})

describe('what a letter says', () => {
  const notice = (status: RunStatus, more: object = {}): string | undefined =>
    letterWords(letter(1, { kind: 'settled', runId: runId('r'), status, ...more }))

  test.each<[RunStatus, object, string]>([
    ['completed', { text: 'So it is.' }, 'It finished.\n\nSo it is.'],
    ['empty', { category: 'no_text' }, 'It ended without an answer (no_text).'],
    [
      'truncated',
      { category: 'max_tokens', text: 'Half' },
      'It was cut off at a limit (max_tokens).\n\nHalf',
    ],
    ['refused', { category: 'refusal' }, 'It declined the task (refusal).'],
    ['cancelled', { category: 'request' }, 'It was cancelled (request).'],
    ['timed_out', { category: 'idle' }, 'It ran into a time limit (idle).'],
    ['failed', { category: 'model', text: 'No model.' }, 'It failed (model).\n\nNo model.'],
    ['interrupted', { category: 'owner_lost' }, 'It was interrupted (owner_lost).'],
  ])('B14: only completed is called finished: %s', (status, more, words) => {
    expect(notice(status, more)).toBe(`<subagent-notice agent="c">\n${words}\n</subagent-notice>`)
  })

  test('a message that was not taken is no run that ended', () => {
    const words = letterWords(
      letter(1, { kind: 'settled', status: 'failed', text: 'CAPACITY_EXCEEDED: Full.' }),
    )
    expect(words).toContain('Your message to it was not taken: it failed.\n\nCAPACITY_EXCEEDED: Full.')
  })

  test('a message is a prompt, and a stop has no words', () => {
    const content = [{ type: 'text', text: 'more' }] as const
    expect(letterPrompt(letter(1, { kind: 'message', content }))).toEqual(content)
    expect(letterWords(letter(1, { kind: 'message', content }))).toBeUndefined()
    expect(letterPrompt(letter(1, { kind: 'interrupt' }))).toEqual([])
  })

  test('the conversation that is read back from the log holds what was received', () => {
    const history = new History()
    const prompt = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'go' } } as const
    history.add({ type: 'session/update', update: prompt })
    history.add({ type: 'letter/received', letter: report(1, 'one') })
    history.add({ type: 'letter/received', letter: letter(2, { kind: 'interrupt' }) })
    expect(history.messages()).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'user', content: [{ type: 'text', text: told('one') }] },
    ])
  })
})
