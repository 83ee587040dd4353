/** How a run is shown in each output format: what goes to stdout, what to stderr. */
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { Output } from '../../../src/cli/output.ts'
import type { ResultDocument } from '../../../src/cli/documents.ts'
import { presenterFor } from '../../../src/cli/run/presenter.ts'
import type { Presenter } from '../../../src/cli/run/presenter.ts'
import type { Format } from '../../../src/cli/run/arguments.ts'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import type { SessionUpdate } from '../../../src/contract/content.ts'
import type { SessionEvent } from '../../../src/contract/events.ts'
import type { SubagentRun } from '../../../src/contract/run.ts'

const runOf = (id: string): SubagentRun => ({ id: runId(id), sessionId: sessionId(`s-${id}`) }) as SubagentRun
const ROOT = runOf('root')
const CHILD = runOf('child')

interface Shown extends Presenter {
  readonly said: string[]
  update(update: SessionUpdate, run?: SubagentRun): void
  happen(event: SessionEvent, run?: SubagentRun): void
  stdout(): Promise<string>
}

const show = (format: Format): Shown => {
  const pipe = new PassThrough()
  let bytes = ''
  pipe.setEncoding('utf8').on('data', (chunk: string) => {
    bytes += chunk
  })
  const out = new Output(pipe)
  const said: string[] = []
  const presenter = presenterFor(format, {
    stdout: out,
    text: (chunk) => out.write(chunk),
    say: (line) => void said.push(line),
  })
  let seq = 0
  const happen = (event: SessionEvent, run = ROOT): void => {
    seq += 1
    presenter.event(run, { seq, at: 7, runId: run.id, event })
  }
  return {
    ...presenter,
    said,
    happen,
    update: (update, run) => happen({ type: 'session/update', update }, run),
    stdout: async () => {
      await out.flushed()
      return bytes
    },
  }
}

const chunk = (text: string, messageId?: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId && { messageId }),
})

const TOOL = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read' } as SessionUpdate
const THOUGHT = {
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text: 'hm' },
} as SessionUpdate

const RESULT: ResultDocument = {
  type: 'result',
  runId: ROOT.id,
  sessionId: ROOT.sessionId,
  provider: 'acp',
  depth: 0,
  status: 'completed',
  text: 'the answer',
  denied: [],
  durationMs: 1,
  exitCode: 0,
}

describe('text', () => {
  test('chunks of one message are written as they come, and the end gets a line end', async () => {
    const it = show('text')
    it.update(chunk('Hel', 'm1'))
    it.update(chunk('lo', 'm1'))
    expect(await it.stdout()).toBe('Hello')
    it.result(RESULT)
    expect(await it.stdout()).toBe('Hello\n')
    expect(it.said).toEqual([])
  })

  test('messages are kept apart by a blank line: by their ids, by a tool call, by a thought', async () => {
    const it = show('text')
    it.update(chunk('one', 'm1'))
    it.update(chunk('two', 'm2'))
    it.update(TOOL)
    it.update(chunk('three', 'm2'))
    it.update(THOUGHT)
    it.update(chunk('four\n'))
    it.update(TOOL)
    it.update(chunk('five'))
    it.result(RESULT)
    expect(await it.stdout()).toBe('one\n\ntwo\n\nthree\n\nfour\n\nfive\n')
  })

  test('nothing is written before the first text, and an answer that ends its line gets no second one', async () => {
    const it = show('text')
    it.update(TOOL)
    it.update(chunk('', 'm1'))
    it.update(chunk('done\n', 'm1'))
    it.result(RESULT)
    expect(await it.stdout()).toBe('done\n')
  })

  test("a descendant's text is not part of the answer, and its notices are said", async () => {
    const it = show('text')
    it.happen({ type: 'notice', severity: 'info', title: 'First.' })
    it.update(chunk('mine'))
    it.update(chunk('not mine'), CHILD)
    it.happen({ type: 'notice', severity: 'warning', title: 'Careful.', detail: 'Very.' }, CHILD)
    expect(await it.stdout()).toBe('mine')
    expect(it.said).toEqual(['First.', 'Careful. Very.'])
  })

  test('content that is no text and updates of unknown kinds write nothing', async () => {
    const it = show('text')
    it.update({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'image', data: 'AA', mimeType: 'image/png' },
    })
    it.update({ sessionUpdate: 'from_the_future', content: { type: 'text', text: 'x' } })
    it.update({ sessionUpdate: 'agent_message_chunk' })
    expect(await it.stdout()).toBe('')
  })

  test('a start that was rejected is one message on stderr and nothing on stdout', async () => {
    const it = show('text')
    const error = {
      code: 'CLOSED',
      message: 'It is closed.',
      phase: 'request',
      retryable: false,
      data: {},
    } as const
    it.error({ type: 'error', error, exitCode: 1 })
    expect(it.said).toEqual(['It is closed.'])
    expect(await it.stdout()).toBe('')
  })
})

describe('quiet', () => {
  test('only the output of the result is written, at the end', async () => {
    const it = show('quiet')
    it.update(chunk('let me see', 'm1'))
    it.happen({ type: 'notice', severity: 'info', title: 'First.' })
    expect(await it.stdout()).toBe('')
    it.result(RESULT)
    expect(await it.stdout()).toBe('the answer\n')
    expect(it.said).toEqual([])
  })

  test.each([
    [{ n: 1 }, '{"n":1}\n'],
    [null, 'null\n'],
    [false, 'false\n'],
  ])('a structured value is written as JSON in place of the text: %j', async (structured, written) => {
    const it = show('quiet')
    it.result({ ...RESULT, structured })
    expect(await it.stdout()).toBe(written)
  })

  test('partial text of a failed run is written, and why it failed is said', async () => {
    const it = show('quiet')
    it.result({ ...RESULT, status: 'refused', category: 'refusal', text: 'I would rather', exitCode: 9 })
    expect(await it.stdout()).toBe('I would rather\n')
    expect(it.said).toEqual(['The model declined the task.'])
  })
})

describe('json and stream-json', () => {
  test('json is one document, and notices are said on stderr', async () => {
    const it = show('json')
    it.update(chunk('x'))
    it.happen({ type: 'notice', severity: 'info', title: 'First.' })
    it.result(RESULT)
    expect(await it.stdout()).toBe(`${JSON.stringify(RESULT)}\n`)
    expect(it.said).toEqual(['First.'])
  })

  test('stream-json is one line an event, descendants too, and the document last', async () => {
    const it = show('stream-json')
    it.happen({ type: 'run/started', provider: 'acp', depth: 0 })
    it.update({ sessionUpdate: 'from_the_future', deep: { x: [1] } }, CHILD)
    it.result(RESULT)
    expect((await it.stdout()).split('\n')).toEqual([
      '{"type":"event","runId":"root","sessionId":"s-root","seq":1,"at":7,"event":{"type":"run/started","provider":"acp","depth":0}}',
      '{"type":"event","runId":"child","sessionId":"s-child","seq":2,"at":7,"event":{"type":"session/update","update":{"sessionUpdate":"from_the_future","deep":{"x":[1]}}}}',
      JSON.stringify(RESULT),
      '',
    ])
    expect(it.said).toEqual([])
  })
})
