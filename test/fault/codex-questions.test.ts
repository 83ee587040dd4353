/** What an app-server asks is put to a person or a policy, or refused at once; nothing stays open (C24). */
import { expect, test } from 'vitest'
import type { SubagentStartRequest } from '../../src/contract/request.ts'
import { codex } from '../fixtures/codex/house.ts'
import type { CodexHouse, FakeScript } from '../fixtures/codex/house.ts'
import { ALL_OFFERED, recordedClient } from '../fixtures/recorded-client.ts'

const patch = {
  type: 'fileChange',
  id: 'p1',
  changes: [{ path: '/w/a', kind: { type: 'add' }, diff: 'x\n' }],
}
const call = { type: 'mcpToolCall', id: 'm7', server: 'pantry', tool: 'take', arguments: {} }

const SCRIPT: FakeScript = {
  turns: {
    Go: [
      {
        ask: 'item/commandExecution/requestApproval',
        params: { itemId: 'c1', command: 'rm -r x', cwd: '/w' },
      },
      { started: patch },
      { ask: 'item/fileChange/requestApproval', params: { itemId: 'p1', reason: null, grantRoot: null } },
      { started: call },
      {
        ask: 'mcpServer/elicitation/request',
        params: {
          serverName: 'pantry',
          message: 'Allow it?',
          _meta: { codex_approval_kind: 'mcp_tool_call', tool_name: 'take', tool_params: { n: 1 } },
        },
      },
      {
        ask: 'mcpServer/elicitation/request',
        params: { serverName: 'pantry', message: 'Your name?', _meta: null },
      },
      { ask: 'item/tool/requestUserInput', params: { itemId: 'q', questions: [] } },
      { ask: 'item/permissions/requestApproval', params: { itemId: 'r', permissions: {} } },
      { ask: 'future/request' },
      { say: 'done' },
    ],
  },
}

const answers = (house: CodexHouse): readonly unknown[] =>
  house.log().flatMap(({ answer }) => (answer === undefined ? [] : [answer]))

/** The same under every policy. */
const REST = [
  { action: 'decline', content: null, _meta: null },
  { answers: {} },
  { permissions: {}, scope: 'turn' },
  { error: { code: -32601, message: 'Not served here: future/request' } },
]
const NO = [
  { decision: 'decline' },
  { decision: 'decline' },
  { action: 'decline', content: null, _meta: null },
]
const YES = [{ decision: 'accept' }, { decision: 'accept' }, { action: 'accept', content: null, _meta: null }]

test.each<[SubagentStartRequest['permission'], readonly unknown[]]>([
  ['allow', YES],
  ['deny', NO],
  ['ask', NO],
])('policy %s, with nobody there', async (permission, first) => {
  const house = codex(SCRIPT)
  const begun = performance.now()
  const { result, events } = await house.run('Go', permission === undefined ? {} : { permission })
  expect(result.status).toBe('completed')
  expect(answers(house)).toEqual([...first, ...REST])
  expect(performance.now() - begun).toBeLessThan(10_000)
  expect(events).toContainEqual({
    type: 'notice',
    severity: 'warning',
    title: 'Codex asked for "future/request", which isn\'t known here; it was told so.',
  })
})

test('a person is asked once for each, with the call that it belongs to, and the answer is mapped back', async () => {
  const house = codex(SCRIPT)
  const run = await house.start('Go', { permission: 'ask' }, { answers: true })
  const asked: unknown[] = []
  const choices = ['acceptForSession', 'decline', 'accept']
  for await (const { event } of run.events()) {
    if (event.type !== 'permission/requested') continue
    const { id, toolCall, options } = event
    const { toolCallId, kind, title } = toolCall
    asked.push({ toolCallId, kind, title, options: options.map(({ optionId }) => optionId) })
    run.respond(id, { outcome: 'selected', optionId: choices.shift() ?? '' })
  }
  expect(asked).toEqual([
    {
      toolCallId: 'c1',
      kind: 'execute',
      title: 'rm -r x',
      options: ['accept', 'acceptForSession', 'decline'],
    },
    {
      toolCallId: 'p1',
      kind: 'edit',
      title: 'Edit /w/a',
      options: ['accept', 'acceptForSession', 'decline'],
    },
    { toolCallId: 'm7', kind: 'other', title: 'Allow it?', options: ['accept', 'decline'] },
  ])
  expect(answers(house)).toEqual([
    { decision: 'acceptForSession' },
    { decision: 'decline' },
    { action: 'accept', content: null, _meta: null },
    ...REST,
  ])
})

test("what an agent of Codex's own asks goes to the run that it works for", async () => {
  const spawned = { type: 'collabAgentToolCall', id: 's1', tool: 'spawnAgent', receiverThreadIds: ['below'] }
  const params = { threadId: 'below', itemId: 'c9', command: 'make' }
  const script: FakeScript = {
    turns: {
      Go: [
        { completed: spawned },
        {
          notify: 'item/agentMessage/delta',
          params: { threadId: 'below', itemId: 'x', delta: 'not the run' },
        },
        { ask: 'item/commandExecution/requestApproval', params },
        { say: 'done' },
      ],
    },
  }
  const house = codex(script)
  const { result } = await house.run('Go', { permission: 'allow' })
  expect(answers(house)).toEqual([{ decision: 'accept' }])
  expect(result.text).toBe('done')
})

test('a request of a thread that nobody knows is refused at once', async () => {
  const house = codex({
    turns: { Go: [{ ask: 'item/tool/call', params: { threadId: 'strange' } }, { say: 'on' }] },
  })
  const { result } = await house.run('Go')
  expect(answers(house)).toEqual([{ error: { code: -32601, message: 'Not served here: item/tool/call' } }])
  expect(result.text).toBe('on')
})

const FORMS: FakeScript = {
  turns: {
    Go: [
      {
        ask: 'mcpServer/elicitation/request',
        params: {
          serverName: 'pantry',
          mode: 'form',
          message: 'Your name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
          _meta: null,
        },
      },
      {
        ask: 'item/tool/requestUserInput',
        params: {
          itemId: 'q',
          questions: [
            {
              id: 'size',
              header: 'Size',
              question: 'How large?',
              isOther: true,
              options: [{ label: 'small', description: 'one cup' }, { label: 'large' }],
            },
            { id: 'why', header: 'Why', question: 'What for?', options: null },
          ],
        },
      },
      {
        ask: 'item/tool/requestUserInput',
        params: { itemId: 'q', questions: [{ id: 'pin', question: 'Your PIN?', isSecret: true }] },
      },
      { say: 'done' },
    ],
  },
}

test('forms of a server and of the model are for the client of a person, in its words and back', async () => {
  const house = codex(FORMS)
  const client = recordedClient(({ params }) => ({
    result:
      params['message'] === 'pantry: Your name?'
        ? { action: 'accept', content: { name: 'Bo' } }
        : { action: 'accept', content: { size: 'small', 'size (other)': 'with milk', why: '' } },
  }))
  const run = await house.start('Go', { permission: 'deny' }, { client })
  expect((await run.result).text).toBe('done')
  expect(client.calls.map(({ params }) => params)).toEqual([
    {
      mode: 'form',
      message: 'pantry: Your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    },
    {
      mode: 'form',
      message: 'Codex asks:',
      requestedSchema: {
        type: 'object',
        properties: {
          size: {
            type: 'string',
            title: 'Size',
            description: 'How large?',
            oneOf: [
              { const: 'small', title: 'small', description: 'one cup' },
              { const: 'large', title: 'large' },
            ],
          },
          'size (other)': { type: 'string', title: 'Something else', description: 'How large?' },
          why: { type: 'string', title: 'Why', description: 'What for?' },
        },
      },
    },
  ])
  expect(answers(house)).toEqual([
    { action: 'accept', content: { name: 'Bo' }, _meta: null },
    { answers: { size: { answers: ['small', 'with milk'] }, why: { answers: [] } } },
    { answers: {} },
  ])
})

test('a person who turns forms down, and a client that takes none, leave Codex to go on without', async () => {
  const declines = recordedClient(() => ({ result: { action: 'decline' } }))
  const takesNone = recordedClient(() => ({ result: { action: 'accept' } }), {
    offer: { ...ALL_OFFERED, elicitation: { form: false, url: false } },
  })
  for (const client of [declines, takesNone]) {
    const house = codex(FORMS)
    await (
      await house.start('Go', {}, { client })
    ).result
    expect(answers(house)).toEqual([
      { action: 'decline', content: null, _meta: null },
      { answers: {} },
      { answers: {} },
    ])
  }
  expect(takesNone.calls).toEqual([])
})
