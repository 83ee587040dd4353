/** The strict border schema of a log's events: a file from elsewhere is believed in nothing. */
import * as z from 'zod/mini'
import '../../contract/zod-config.ts'
import type { LogEntry, SessionEvent } from '../../contract/events.ts'
import {
  depthSchema as count,
  limitsSchema,
  promptSchema,
  sandboxSchema,
} from '../../contract/request-schema.ts'
import type { SessionLine } from './format.ts'

const text = z.string()
const name = z.string().check(z.minLength(1))
const amount = z
  .number()
  .check(
    z.refine((value) => Number.isFinite(value) && value >= 0, { error: 'must be a number of at least 0' }),
  )
const json = z.record(z.string(), z.any())
const texts = z.array(text)

const status = z.enum([
  'completed',
  'empty',
  'truncated',
  'refused',
  'cancelled',
  'timed_out',
  'failed',
  'interrupted',
])
const category = z.enum([
  'no_text',
  'max_tokens',
  'max_turns',
  'budget',
  'refusal',
  'signal',
  'request',
  'idle',
  'total',
  'startup',
  'schema',
  'auth',
  'busy',
  'provider',
  'protocol',
  'process',
  'model',
  'owner_lost',
])
const usage = z.strictObject({
  inputTokens: amount,
  outputTokens: amount,
  costUsd: z.exactOptional(amount),
})
const denial = z.strictObject({ title: text, kind: name, flag: text })
const error = z.strictObject({ code: name, message: text, phase: name, retryable: z.boolean(), data: json })
/** ACP's own words pass untouched, whatever else they hold. */
const update = z.looseObject({ sessionUpdate: name })
const toolCall = z.looseObject({ toolCallId: text })
const option = z.looseObject({ optionId: text, name: text, kind: name })
const outcome = z.union([
  z.looseObject({ outcome: z.literal('cancelled') }),
  z.looseObject({ outcome: z.literal('selected'), optionId: text }),
])
const approvals = z.enum(['ask', 'never'])
const source = z.enum(['delegation', 'request'])

const envelope = { id: count, to: name, from: z.exactOptional(name), at: amount }
const letter = z.discriminatedUnion('kind', [
  z.strictObject({ ...envelope, kind: z.literal('message'), content: promptSchema }),
  z.strictObject({ ...envelope, kind: z.literal('report'), text, label: z.exactOptional(text) }),
  z.strictObject({
    ...envelope,
    kind: z.literal('settled'),
    runId: z.exactOptional(name),
    status,
    category: z.exactOptional(category),
    label: z.exactOptional(text),
    text: z.exactOptional(text),
  }),
  z.strictObject({ ...envelope, kind: z.literal('interrupt') }),
])

const type = <T extends SessionEvent['type']>(value: T): z.ZodMiniLiteral<T> => z.literal(value)

const eventSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: type('run/started'),
    provider: name,
    depth: count,
    parentSessionId: z.exactOptional(name),
    label: z.exactOptional(text),
    toolCallId: z.exactOptional(text),
    providerManaged: z.exactOptional(texts),
    maxDepth: z.exactOptional(count),
    limits: z.exactOptional(limitsSchema),
    prompt: z.exactOptional(z.array(z.looseObject({ type: name }))),
    letters: z.exactOptional(z.array(count)),
  }),
  z.strictObject({
    type: type('run/settled'),
    status,
    category: z.exactOptional(category),
    denied: z.array(denial),
    structured: z.exactOptional(z.any()),
    usage: z.exactOptional(usage),
    error: z.exactOptional(error),
    durationMs: amount,
  }),
  z.strictObject({
    type: type('permission/requested'),
    id: name,
    toolCall,
    options: z.array(option),
    path: texts,
    childId: z.exactOptional(text),
  }),
  z.strictObject({
    type: type('permission/resolved'),
    id: name,
    outcome,
    by: z.enum(['person', 'policy', 'cancel']),
  }),
  z.strictObject({ type: type('elicitation/requested'), id: name, message: text }),
  z.strictObject({
    type: type('elicitation/resolved'),
    id: name,
    action: z.enum(['accept', 'decline', 'cancel']),
  }),
  z.strictObject({ type: type('session/update'), update }),
  z.strictObject({ type: type('session/late_update'), update }),
  z.strictObject({
    type: type('subagent/update'),
    childId: name,
    parentChildId: z.exactOptional(name),
    update,
  }),
  z.strictObject({
    type: type('notice'),
    severity: z.enum(['info', 'warning', 'error']),
    title: text,
    detail: z.exactOptional(text),
    data: z.exactOptional(json),
  }),
  z.strictObject({
    type: type('approval/asked'),
    id: name,
    title: text,
    kind: name,
    reason: text,
    flag: z.exactOptional(text),
    toolCallId: z.exactOptional(text),
  }),
  z.strictObject({
    type: type('approval/decided'),
    id: name,
    decision: z.enum(['allowed', 'rejected', 'cancelled', 'unavailable']),
    by: z.enum(['policy', 'answerer', 'cancel', 'nobody']),
  }),
  z.strictObject({ type: type('letter/received'), letter }),
  z.strictObject({ type: type('session/native_id'), nativeId: text }),
  z.strictObject({ type: type('permission/preset'), preset: name, source: z.literal('delegation') }),
  z.strictObject({ type: type('sandbox/mode'), mode: sandboxSchema, source }),
  z.strictObject({ type: type('approval/policy'), policy: approvals, source }),
  z.strictObject({
    type: type('subagent/descriptor'),
    version: count,
    provider: name,
    mode: z.enum(['one-shot', 'kept']),
    label: z.exactOptional(text),
    preset: z.exactOptional(text),
    model: z.exactOptional(text),
    persona: z.exactOptional(text),
    toolFilter: z.exactOptional(
      z.strictObject({ allow: z.exactOptional(texts), deny: z.exactOptional(texts) }),
    ),
  }),
])

export const entrySchema: z.ZodMiniType<LogEntry> = z.strictObject({
  seq: count,
  at: amount,
  runId: z.exactOptional(name),
  event: eventSchema,
}) as unknown as z.ZodMiniType<LogEntry>

export const sessionLineSchema: z.ZodMiniType<SessionLine> = z.strictObject({
  type: z.literal('session'),
  version: count,
  header: z.strictObject({
    id: name,
    rootId: name,
    parentId: z.exactOptional(name),
    provider: name,
    depth: count,
    maxDepth: z.exactOptional(count),
    cwd: name,
    label: z.exactOptional(text),
    name: z.exactOptional(text),
    chat: z.exactOptional(
      z.strictObject({
        id: name,
        from: z.exactOptional(z.strictObject({ id: name, until: amount })),
      }),
    ),
    createdAt: amount,
  }),
  inheritedEventCount: count,
  policy: z.exactOptional(
    z.strictObject({
      sandbox: z.exactOptional(sandboxSchema),
      permissionPreset: z.exactOptional(name),
      approvalPolicy: z.exactOptional(approvals),
      approvalSource: z.exactOptional(source),
    }),
  ),
  lastSeq: count,
}) as unknown as z.ZodMiniType<SessionLine>
