/** W3C trace context through the ACP face: from the editor's prompt to the agent's. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { acpHandshake, acpTurn, fakeAgentCommand } from '../../src/testing/fake-agent.ts'
import { Editor } from './acp-editor.ts'
import type { EditorOptions } from './acp-editor.ts'
import { logOf } from './cli-rig.ts'
import { Collector } from './collector.ts'

const FIRST = '00-11111111111111111111111111111111-2222222222222222-01'
const SECOND = '00-33333333333333333333333333333333-4444444444444444-01'

const folder = mkdtempSync(join(tmpdir(), 'subgate-trace-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Heard {
  readonly method: string
  readonly params: { readonly _meta?: Readonly<Record<string, string>> }
}

/** An editor with an agent that writes down what it hears. */
const overheard = (
  env: EditorOptions['env'] & object,
): { editor: Editor; prompts: () => readonly Heard['params'][] } => {
  const log = join(folder, crypto.randomUUID())
  const script = [
    { log },
    ...acpHandshake({ agentCapabilities: { loadSession: true } }),
    ...acpTurn(['one']),
    ...acpTurn(['two']),
  ]
  const { command, args } = fakeAgentCommand(script)
  return {
    editor: new Editor({
      args: ['--provider', 'fake'],
      providers: { fake: { command: [command, ...args] } },
      env,
    }),
    prompts: () =>
      logOf(log)
        .flatMap((entry) => ('received' in entry ? [entry.received as Heard] : []))
        .filter(({ method }) => method === 'session/prompt')
        .map(({ params }) => params),
  }
}

const prompt = (editor: Editor, sessionId: string, meta: object) =>
  editor.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }], _meta: meta })

test('without telemetry the reserved keys of _meta go on as they came, and nothing else does', async () => {
  const { editor, prompts } = overheard({})
  await using _ = editor
  const sessionId = await editor.open()
  const trace = { traceparent: FIRST, tracestate: 'v=1', baggage: 'b=2' }
  await prompt(editor, sessionId, { ...trace, other: 'x' })
  await editor.prompt(sessionId, 'no trace')
  expect(prompts().map(({ _meta: meta }) => meta)).toEqual([trace, undefined])
})

test("with telemetry each prompt's run stands in the trace that came with it, and the agent in the run's", async () => {
  await using collector = await Collector.listen()
  const { editor, prompts } = overheard({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
  await using _ = editor
  const sessionId = await editor.open()
  await prompt(editor, sessionId, { traceparent: FIRST })
  await prompt(editor, sessionId, { traceparent: SECOND })
  await editor.leave()
  const [one, two, ...more] = collector.spans
  expect(more).toEqual([])
  expect(one).toMatchObject({ parentSpanId: '2222222222222222', traceId: '1'.repeat(32) })
  expect(two).toMatchObject({ parentSpanId: '4444444444444444', traceId: '3'.repeat(32) })
  expect(prompts().map(({ _meta: meta }) => meta?.['traceparent'])).toEqual([
    `00-${'1'.repeat(32)}-${one?.spanId}-01`,
    `00-${'3'.repeat(32)}-${two?.spanId}-01`,
  ])
})
