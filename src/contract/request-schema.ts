/** The strict border schema of a start request (B1.4, B1.6, B2.2). */
import * as z from 'zod/mini'
import './zod-config.ts'
import type { ContentBlock, McpServer } from './content.ts'
import type { SessionId } from './ids.ts'
import type { JsonObject } from './json.ts'
import { parseRequest } from './parse.ts'
import type {
  PermissionPolicy,
  RunLimits,
  SandboxMode,
  SessionOrigin,
  SubagentStartRequest,
} from './request.ts'

const text = z.string()
const name = z.string().check(z.minLength(1))
const sessionId = name as unknown as z.ZodMiniType<SessionId>
const json = z.record(z.string(), z.any()) as unknown as z.ZodMiniType<JsonObject>

/** A non-negative safe integer; `-0` is refused too (B2.2). */
export const depthSchema: z.ZodMiniType<number> = z.number().check(
  z.refine((value) => Number.isSafeInteger(value) && value >= 0 && !Object.is(value, -0), {
    error: 'must be a non-negative integer',
  }),
)

/** Milliseconds or counts: finite and not negative; 0 = none. */
const amount = z
  .number()
  .check(
    z.refine((value) => Number.isFinite(value) && value >= 0, { error: 'must be a number of at least 0' }),
  )

const count = z
  .number()
  .check(
    z.refine((value) => Number.isSafeInteger(value) && value > 0, { error: 'must be a positive integer' }),
  )

const block = z.union([
  z.looseObject({ type: z.literal('text'), text }),
  z.looseObject({ type: z.literal(['image', 'audio']), data: text, mimeType: name }),
  z.looseObject({ type: z.literal('resource_link'), uri: name, name: text }),
  z.looseObject({ type: z.literal('resource'), resource: z.looseObject({ uri: name }) }),
])

export const promptSchema: z.ZodMiniType<readonly ContentBlock[]> = z
  .array(block)
  .check(z.minLength(1, { error: 'must hold at least one content block' })) as unknown as z.ZodMiniType<
  readonly ContentBlock[]
>

const pair = z.looseObject({ name, value: text })

/** Like the other lazy parts made when a request has one of these: few have. */
export const mcpServersSchema: z.ZodMiniType<readonly McpServer[]> = z.lazy(() =>
  z.array(
    z.union([
      z.looseObject({ type: z.literal(['http', 'sse']), name, url: name, headers: z.array(pair) }),
      z.looseObject({ type: z.literal('acp'), name, serverId: name }),
      z.looseObject({
        type: z.optional(z.undefined()),
        name,
        command: name,
        args: z.array(text),
        env: z.array(pair),
      }),
    ]),
  ),
)

export const limitsSchema: z.ZodMiniType<RunLimits> = z.lazy(() =>
  z.strictObject({
    idleMs: z.exactOptional(amount),
    totalMs: z.exactOptional(amount),
    maxTurns: z.exactOptional(count),
    maxTokens: z.exactOptional(count),
    maxCostUsd: z.exactOptional(amount),
  }),
)

export const sandboxSchema: z.ZodMiniType<SandboxMode> = z.enum([
  'read-only',
  'workspace-write',
  'danger-full-access',
])
export const permissionSchema: z.ZodMiniType<PermissionPolicy> = z.enum([
  'ask',
  'allow-reads',
  'allow',
  'deny',
])

const origin: z.ZodMiniType<SessionOrigin> = z.lazy(() =>
  z.discriminatedUnion('from', [
    z.strictObject({ from: z.literal('new'), name: z.exactOptional(name) }),
    z.strictObject({ from: z.literal('resume'), sessionId }),
    z.strictObject({ from: z.literal('fork'), sessionId, through: z.exactOptional(count) }),
  ]),
)

/** The controls that also travel in `_meta.subgate` of ACP requests (design.md §7). */
const sessionControls = {
  preset: z.exactOptional(name),
  model: z.exactOptional(name),
  effort: z.exactOptional(name),
  sandbox: z.exactOptional(sandboxSchema),
  permission: z.exactOptional(permissionSchema),
  maxDepth: z.exactOptional(depthSchema),
  keep: z.exactOptional(z.boolean()),
  label: z.exactOptional(text),
}

const promptControls = { outputSchema: z.exactOptional(json), limits: z.exactOptional(limitsSchema) }

const shape = {
  provider: name,
  prompt: promptSchema,
  parent: z.exactOptional(z.strictObject({ sessionId })),
  session: z.exactOptional(origin),
  ...sessionControls,
  cwd: z.exactOptional(text),
  additionalDirectories: z.exactOptional(z.array(name)),
  mcpServers: z.exactOptional(mcpServersSchema),
  ...promptControls,
  idempotencyKey: z.exactOptional(name),
  meta: z.exactOptional(json),
}

const startRequest: z.ZodMiniType<SubagentStartRequest> = z.strictObject(shape)

export type SessionControls = Pick<
  SubagentStartRequest,
  'preset' | 'model' | 'effort' | 'sandbox' | 'permission' | 'maxDepth' | 'keep' | 'label'
>
export type PromptControls = Pick<SubagentStartRequest, 'outputSchema' | 'limits'>

const sessionControlsSchema: z.ZodMiniType<SessionControls> = z.strictObject(sessionControls)
const promptControlsSchema: z.ZodMiniType<PromptControls> = z.strictObject(promptControls)
const mcpServersShape = z.strictObject({ mcpServers: mcpServersSchema })

export const parseStartRequest = (value: unknown): SubagentStartRequest =>
  parseRequest(startRequest, value, Object.keys(shape))

export const parseSessionControls = (value: unknown): SessionControls =>
  parseRequest(sessionControlsSchema, value, Object.keys(sessionControls))

export const parsePromptControls = (value: unknown): PromptControls =>
  parseRequest(promptControlsSchema, value, Object.keys(promptControls))

/** All of them, also those that nobody will connect to. */
export const parseMcpServers = (value: unknown): readonly McpServer[] =>
  parseRequest(mcpServersShape, { mcpServers: value }, ['mcpServers']).mcpServers
