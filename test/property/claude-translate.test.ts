/** `translate` is total: whatever Claude Code writes, nothing throws, and what is unknown is a notice. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  readControlAnswer,
  readControlRequest,
  readResult,
} from '../../src/providers/claude-code/protocol.ts'
import { NOTHING_SHOWN, translate } from '../../src/providers/claude-code/translate.ts'
import type { Shown } from '../../src/providers/claude-code/translate.ts'

const TYPES =
  'assistant user system stream_event result control_request control_response control_cancel_request keep_alive rate_limit_event'
const SUBTYPES =
  'init api_retry compact_boundary status task_started task_notification background_tasks_changed permission_denied'
const TOOLS = 'Read Write Edit Bash Agent Task TodoWrite TaskCreate TaskUpdate mcp__a__b Other'
const oneOf = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(' '))

const json = fc.jsonValue()
const id = fc.constantFrom('t1', 't2', '', '__proto__', 'constructor')
const input = fc.oneof(
  json,
  fc.record({ taskId: fc.oneof(id, fc.integer()), status: fc.string(), subject: json, todos: json }),
)
const block = fc.oneof(
  json,
  fc.record({ type: fc.constantFrom('text', 'thinking'), text: json, thinking: json }),
  fc.record({ type: fc.constant('tool_use'), id, name: fc.oneof(oneOf(TOOLS), json), input }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: json, is_error: json }),
)
const line = fc
  .record(
    {
      type: fc.oneof(oneOf(TYPES), json),
      subtype: fc.oneof(oneOf(SUBTYPES), json),
      message: fc.oneof(
        json,
        fc.record({ id: fc.oneof(id, json), content: fc.oneof(fc.array(block), json) }),
      ),
      event: fc.oneof(json, fc.record({ type: fc.constant('content_block_delta'), delta: json })),
      parent_tool_use_id: fc.oneof(id, json),
      tool_use_id: fc.oneof(id, json),
      task_type: fc.constantFrom('local_agent', 'local_bash'),
      is_backgrounded: fc.boolean(),
      mcp_servers: json,
      attempt: json,
      error: json,
    },
    { requiredKeys: ['type'] },
  )
  .map((value) => value as Readonly<Record<string, unknown>>)

test('no sequence of lines throws, and all that comes of it is updates and notices', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      let shown: Shown = NOTHING_SHOWN
      for (const each of lines) {
        const next = translate(each, shown)
        expect(next.events.every(({ type }) => type === 'session/update' || type === 'notice')).toBe(true)
        shown = next.shown
        readResult(each)
        readControlAnswer(each)
        readControlRequest(each)
      }
    }),
    { numRuns: 1000 },
  )
})

test('an unknown type of line is exactly one notice that names it', () => {
  fc.assert(
    fc.property(fc.string(), json, (name, content) => {
      const { events } = translate({ type: `future/${name}`, content }, NOTHING_SHOWN)
      expect(events).toMatchObject([{ type: 'notice', title: expect.stringContaining(`"future/${name}"`) }])
    }),
  )
})

test('no text of a sub-agent is ever text of the agent', () => {
  fc.assert(
    fc.property(fc.array(block), (content) => {
      const { events } = translate(
        { type: 'assistant', parent_tool_use_id: 't1', message: { id: 'm', content } },
        NOTHING_SHOWN,
      )
      expect(JSON.stringify(events)).not.toContain('_chunk')
    }),
  )
})
