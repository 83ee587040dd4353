/** `translate` is total: whatever an app-server sends, nothing throws, and what is unknown is a notice. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { askedOf } from '../../src/providers/codex/approvals.ts'
import { failureOf } from '../../src/providers/codex/errors.ts'
import { NOTHING_SHOWN, translate } from '../../src/providers/codex/translate.ts'

const METHODS = [
  'item/started',
  'item/completed',
  'item/agentMessage/delta',
  'item/reasoning/textDelta',
  'turn/plan/updated',
  'thread/tokenUsage/updated',
  'mcpServer/startupStatus/updated',
  'error',
  'warning',
  'configWarning',
  'thread/started',
] as const
const ITEMS = [
  'agentMessage',
  'reasoning',
  'plan',
  'commandExecution',
  'fileChange',
  'mcpToolCall',
  'dynamicToolCall',
  'collabAgentToolCall',
  'subAgentActivity',
  'webSearch',
  'imageView',
  'imageGeneration',
  'contextCompaction',
  'error',
  'userMessage',
  'newKind',
]

const FIELDS =
  'text status changes command commandActions aggregatedOutput exitCode result error server tool path'
const json = fc.jsonValue()
const item = fc
  .tuple(fc.constantFrom(...ITEMS), fc.string(), fc.dictionary(fc.constantFrom(...FIELDS.split(' ')), json))
  .map(([type, id, rest]) => ({ ...rest, type, id }))
const params = fc.oneof(
  json,
  fc.record({ threadId: fc.string(), item }),
  fc.record({ itemId: fc.string(), delta: fc.oneof(fc.string(), json) }),
  fc.record({ plan: fc.array(fc.record({ step: fc.string(), status: fc.string() })) }),
  fc.record({ error: fc.oneof(json, fc.record({ message: fc.string() })), willRetry: fc.boolean() }),
)

test('no method with any content throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...METHODS), fc.string()), params, (method, content) => {
      const { events, shown } = translate(method, content, NOTHING_SHOWN)
      expect(events.every(({ type }) => type === 'session/update' || type === 'notice')).toBe(true)
      expect(shown.streamed).toBeInstanceOf(Set)
    }),
    { numRuns: 2000 },
  )
})

test('an unknown method is exactly one notice that names it', () => {
  fc.assert(
    fc.property(fc.string(), json, (name, content) => {
      const { events } = translate(`future/${name}`, content, NOTHING_SHOWN)
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({ type: 'notice' })
      expect(JSON.stringify(events[0])).toContain(JSON.stringify(`future/${name}`).slice(1, -1).slice(0, 7))
    }),
  )
})

test('any request of the server gets an answer or a refusal, and any failure is a typed one', () => {
  const asks = [
    'item/commandExecution/requestApproval',
    'item/fileChange/requestApproval',
    'mcpServer/elicitation/request',
    'item/tool/call',
  ]
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...asks), fc.string()), json, json, (method, content, info) => {
      const asked = askedOf(method, content, new Map())
      if (asked.kind === 'ask') {
        expect(asked.answer({ outcome: 'cancelled' })).toBeTypeOf('object')
        expect(asked.question.toolCall.toolCallId).not.toBe('')
      }
      const failure = failureOf({ message: 'x', codexErrorInfo: info }, 'codex', { now: 0 })
      expect('error' in failure || failure.truncated === 'max_tokens').toBe(true)
    }),
    { numRuns: 1000 },
  )
})
