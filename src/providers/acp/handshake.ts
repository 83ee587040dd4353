/** What the handshake says and reveals. Pure. */
import type * as acp from '@agentclientprotocol/sdk/unstable'
import type { CapabilityId, SubagentCapabilities, Support } from '../../contract/capabilities.ts'
import { isRecord } from '../../contract/json.ts'
import { CAPABILITY_IDS, lesser } from '../../capabilities/catalog.ts'
import { claims } from '../../capabilities/rows.ts'
import type { AskMode } from './agents.ts'
import type { ClientMethods } from './offered-methods.ts'

export const PROTOCOL_VERSION = 1

export const initializeParams = (version: string, methods: ClientMethods): acp.InitializeRequest => ({
  protocolVersion: PROTOCOL_VERSION,
  clientInfo: { name: 'subgate', title: 'Subgate', version },
  clientCapabilities: {
    fs: { readTextFile: methods.read !== undefined, writeTextFile: methods.write !== undefined },
    terminal: methods.terminal !== undefined,
    ...elicitation(methods.elicitation),
    session: { notices: {} },
    subagents: {},
    _meta: { subgate: { version: 1 } },
  },
})

const elicitation = ({ form, url }: ClientMethods['elicitation']): Partial<acp.ClientCapabilities> =>
  form || url ? { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } } : {}

/** The agent's own words, read leniently: what isn't of the right shape counts as absent. */
export interface Handshake {
  readonly protocolVersion: number
  readonly agentName?: string
  readonly authMethods: readonly acp.AuthMethod[]
  readonly rows: Partial<SubagentCapabilities>
  readonly loadSession: boolean
  readonly resume: boolean
  readonly fork: boolean
  readonly close: boolean
  readonly mcp: { readonly http: boolean; readonly sse: boolean; readonly acp: boolean }
  /** The agent is itself a gateway: controls travel in `_meta.subgate`. */
  readonly gateway: boolean
}

const has = (value: unknown): boolean => isRecord(value)
const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})
const native = (is: boolean): Support => (is ? 'native' : 'none')

const persona = (marker: unknown): Support => {
  if (!isRecord(marker)) return 'none'
  return has(record(marker['mode'])['override']) ? 'native' : 'emulated'
}

const SUPPORTS: ReadonlySet<unknown> = new Set<Support>(['none', 'emulated', 'native'])

/** The rows that another gateway advertises for the provider behind it. */
const advertised = (capabilities: unknown): SubagentCapabilities => {
  const rows = record(capabilities)
  const known = CAPABILITY_IDS.filter((id) => SUPPORTS.has(rows[id]))
  return claims(Object.fromEntries(known.map((id) => [id, rows[id] as Support])))
}

/** A gateway's rows, as far as there is a method to reach them by. */
const reachable = (
  rows: SubagentCapabilities,
  plain: Partial<SubagentCapabilities>,
): Partial<SubagentCapabilities> => ({
  ...rows,
  resume: lesser(rows.resume, plain.resume ?? 'none'),
  fork: lesser(rows.fork, plain.fork ?? 'none'),
})

/** Rows that a plain agent answers in its handshake; the others stay as they were declared. */
const answered = (capabilities: Record<string, unknown>): Partial<SubagentCapabilities> => {
  const prompt = record(capabilities['promptCapabilities'])
  const session = record(capabilities['sessionCapabilities'])
  const mcp = record(capabilities['mcpCapabilities'])
  const resumes = capabilities['loadSession'] === true || has(session['resume'])
  return {
    persona: persona(session['systemPrompt']),
    images: native(prompt['image'] === true),
    audio: native(prompt['audio'] === true),
    resources: native(prompt['embeddedContext'] === true),
    additionalDirectories: native(has(session['additionalDirectories'])),
    mcpServers: mcp['http'] === true ? 'native' : 'emulated',
    // Without either, follow-ups work as long as the process lives.
    resume: resumes ? 'native' : 'emulated',
    fork: native(has(session['fork'])),
  }
}

export const readHandshake = (result: unknown): Handshake => {
  const answer = record(result)
  const capabilities = record(answer['agentCapabilities'])
  const session = record(capabilities['sessionCapabilities'])
  const mcp = record(capabilities['mcpCapabilities'])
  const subgate = record(capabilities['_meta'])['subgate']
  const name = record(answer['agentInfo'])['name']
  const methods = answer['authMethods']
  const plain = answered(capabilities)
  const rows: Partial<SubagentCapabilities> = isRecord(subgate)
    ? reachable(advertised(subgate['capabilities']), plain)
    : plain
  return {
    protocolVersion: typeof answer['protocolVersion'] === 'number' ? answer['protocolVersion'] : 0,
    ...(typeof name === 'string' && { agentName: name }),
    authMethods: Array.isArray(methods)
      ? (methods.filter((method) => isRecord(method)) as unknown as acp.AuthMethod[])
      : [],
    rows,
    loadSession: capabilities['loadSession'] === true,
    resume: has(session['resume']),
    fork: has(session['fork']),
    close: has(session['close']),
    mcp: { http: mcp['http'] === true, sse: mcp['sse'] === true, acp: mcp['acp'] === true },
    gateway: isRecord(subgate),
  }
}

/** The rows of which a plain ACP agent's declaration is only an upper bound. */
export const NEGOTIATED: readonly CapabilityId[] = [
  'persona',
  'images',
  'audio',
  'resources',
  'additionalDirectories',
  'mcpServers',
  'resume',
  'fork',
  'model',
  'effort',
]

export interface Answered {
  readonly handshake: Handshake
  readonly declared: SubagentCapabilities
  readonly rows: SubagentCapabilities
  readonly asks: AskMode | undefined
  /** It is called like a gateway: that it is none is an answer to every row. */
  readonly gateway: boolean
  /** Its session was opened, so that it has answered with its options and modes. */
  readonly opened: boolean
}

/** The rows that the agent itself has answered by now: nothing else is worth remembering. */
export const answeredRows = ({
  handshake,
  declared,
  rows,
  asks,
  gateway,
  opened,
}: Answered): readonly CapabilityId[] => {
  if (handshake.gateway || gateway) return CAPABILITY_IDS
  const bySession: readonly CapabilityId[] =
    asks?.modeId === undefined ? ['model', 'effort'] : ['model', 'effort', 'permissions']
  return CAPABILITY_IDS.filter((id) =>
    bySession.includes(id) ? opened || rows[id] !== declared[id] : handshake.rows[id] !== undefined,
  )
}

/** What any ACP agent might turn out to have. */
export const declaredRows = (asks: boolean): SubagentCapabilities =>
  claims({
    ...Object.fromEntries(NEGOTIATED.map((id) => [id, 'native' as const])),
    permissions: asks ? 'native' : 'none',
  })

/** What a gateway might turn out to have: everything but text in mid-turn, for which ACP has no method. */
export const EVERYTHING: SubagentCapabilities = claims({
  ...Object.fromEntries(CAPABILITY_IDS.map((id) => [id, 'native' as const])),
  steer: 'none',
})
