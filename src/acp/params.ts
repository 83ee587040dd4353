/** Reads the editor's parameters: strict, as a malformed entry that is dropped in silence is a control that isn't enforced. Pure. */
import { SubagentError } from '../contract/errors.ts'
import { isRecord } from '../contract/json.ts'
import type { JsonObject } from '../contract/json.ts'
import { present } from '../contract/present.ts'
import { parseMcpServers, parsePromptControls, parseSessionControls } from '../contract/request-schema.ts'
import type { PromptControls, SessionControls } from '../contract/request-schema.ts'
import type { SubagentStartRequest } from '../contract/request.ts'
import { readTrace } from '../contract/trace.ts'
import type { TraceContext } from '../contract/trace.ts'
import { invalid } from './errors.ts'

/** A start without its prompt, which comes later. */
export type SessionRequest = Omit<SubagentStartRequest, 'provider' | 'prompt' | 'session'>

const record = (params: unknown): Record<string, unknown> => (isRecord(params) ? params : {})

const subgateMeta = (params: Record<string, unknown>): unknown => record(params['_meta'])['subgate'] ?? {}

/** The schemas of the gate's own request decide on the values; here is said what must be there at all. */
/** What whoever started the face asked for: limits are for each prompt. */
export type FaceControls = SessionControls & Pick<PromptControls, 'limits'>

export const readSession = (raw: unknown, defaults: FaceControls, gateway: boolean): SessionRequest => {
  const params = record(raw)
  const { cwd, mcpServers, additionalDirectories, systemPrompt } = params
  if (typeof cwd !== 'string') throw invalid('cwd', '"cwd" is missing: give an absolute path.')
  if (!Array.isArray(mcpServers)) {
    throw invalid('mcpServers', '"mcpServers" is missing: give an array, which may be empty.')
  }
  for (const [index, server] of mcpServers.entries()) {
    if (gateway && record(server)['type'] === 'acp') {
      throw invalid(
        `mcpServers.${index}.type`,
        `"mcpServers.${index}.type" is "acp", which isn't offered here. Use stdio, http or sse.`,
      )
    }
  }
  if (systemPrompt !== undefined && systemPrompt !== null) {
    throw invalid(
      'systemPrompt',
      '"systemPrompt" isn\'t offered here. Instructions belong to a preset: name one in "_meta.subgate.preset".',
    )
  }
  return {
    ...defaults,
    ...parseSessionControls(subgateMeta(params)),
    cwd,
    // An empty list asks for nothing, so that the configured servers count.
    ...(mcpServers.length > 0 && { mcpServers: parseMcpServers(mcpServers) }),
    ...present({
      additionalDirectories: (additionalDirectories ?? undefined) as readonly string[] | undefined,
    }),
  }
}

export interface PromptParams {
  readonly sessionId: string
  readonly prompt: SubagentStartRequest['prompt']
  readonly controls: PromptControls
  /** The trace that the editor's prompt belongs to. */
  readonly trace?: TraceContext
}

export const readPrompt = (raw: unknown): PromptParams => {
  const params = record(raw)
  return {
    sessionId: readSessionId(params),
    prompt: params['prompt'] as SubagentStartRequest['prompt'],
    controls: parsePromptControls(subgateMeta(params)),
    ...present({ trace: readTrace(record(params['_meta'])) }),
  }
}

export const readSessionId = (raw: unknown): string => {
  const { sessionId } = record(raw)
  if (typeof sessionId === 'string') return sessionId
  throw invalid('sessionId', '"sessionId" is missing.')
}

export const unknownMode = (raw: unknown, known: readonly string[]): SubagentError =>
  invalid(
    'modeId',
    `No mode has the id ${JSON.stringify(record(raw)['modeId'])}. Valid ids: ${known.join(', ') || 'none, as this session has no modes'}.`,
  )

/** The methods that take up or copy a session may leave its servers out. */
export const withServers = (raw: unknown): unknown => ({ mcpServers: [], ...record(raw) })

export const readList = (raw: unknown): { readonly cwd?: string; readonly cursor?: string } => {
  const { cwd, cursor } = record(raw)
  for (const [field, value] of Object.entries({ cwd, cursor }))
    if (value !== undefined && value !== null && typeof value !== 'string')
      throw invalid(field, `"${field}" must be a text.`)
  return present({
    cwd: (cwd ?? undefined) as string | undefined,
    cursor: (cursor ?? undefined) as string | undefined,
  })
}

/** The editor has switches for options that are on or off. */
export const showsSwitches = (capabilities: JsonObject): boolean =>
  isRecord(record(record(capabilities['session'])['configOptions'])['boolean'])

/** What reaches a client only when it said that it can take it. */
export interface Takes {
  readonly notices: boolean
  /** The prompt as the agent heard it: for another gateway's log; an editor has shown its own already. */
  readonly echoes: boolean
}

export const takesOf = (params: unknown): Takes => {
  const capabilities = record(record(params)['clientCapabilities'])
  return {
    notices: isRecord(record(capabilities['session'])['notices']),
    echoes: isRecord(record(capabilities['_meta'])['subgate']),
  }
}

/** What the client said that it can take, untouched; nothing when that is malformed. */
export const clientCapabilitiesOf = (params: unknown): JsonObject =>
  record(record(params)['clientCapabilities']) as JsonObject
