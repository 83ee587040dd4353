/** The one error class of Subgate and the data that each code carries. */
import { boundedDetail, boundedObject } from './bounded.ts'
import type { CapabilityId } from './capabilities.ts'
import { ERROR_CATALOG } from './error-catalog.ts'
import { isRecord } from './json.ts'
import type { JsonObject } from './json.ts'
import type { EndingCategory } from './result.ts'

const PHASES = [
  'request',
  'resolve',
  'gate',
  'depth',
  'capacity',
  'spawn',
  'initialize',
  'session',
  'prompt',
] as const

/** Where in a start or run an error arose. */
export type ErrorPhase = (typeof PHASES)[number]

/** What is known of a process that failed. `withheld` holds names of variables, never values. */
export interface ProcessFacts {
  readonly command: string
  readonly cwd: string
  readonly exitCode?: number
  readonly signal?: string
  readonly errno?: string
  readonly stderr?: string
  readonly withheld?: readonly string[]
}

export interface ErrorDataByCode {
  INVALID_REQUEST: { readonly field?: string; readonly suggestion?: string }
  INVALID_CONFIG: { readonly file?: string; readonly key?: string; readonly suggestion?: string }
  PROVIDER_NOT_FOUND: { readonly provider: string; readonly known: readonly string[] }
  DUPLICATE_PROVIDER: { readonly provider: string }
  PRESET_NOT_FOUND: { readonly preset: string; readonly known: readonly string[] }
  SESSION_NOT_FOUND: { readonly sessionId: string }
  SESSION_BUSY: { readonly sessionId: string }
  NOT_RESUMABLE: { readonly sessionId: string; readonly reason: string }
  UNAUTHORIZED: { readonly sessionId: string }
  UNSUPPORTED_CAPABILITY: {
    readonly provider: string
    readonly missing: readonly CapabilityId[]
    readonly fields: readonly string[]
    readonly alternatives: readonly string[]
  }
  DEPTH_EXCEEDED: { readonly attempted: number; readonly max: number }
  CAPACITY_EXCEEDED: { readonly active: number; readonly queued: number; readonly max: number }
  LINEAGE_INVALID: { readonly reason: string }
  AGENT_NOT_FOUND: ProcessFacts
  AGENT_NOT_EXECUTABLE: ProcessFacts
  AGENT_EXITED: ProcessFacts & { readonly reason?: string }
  AGENT_NOT_ACP: ProcessFacts & { readonly firstLine?: string }
  PROTOCOL_MISMATCH: ProcessFacts & { readonly asked: number; readonly answered: number }
  PROTOCOL_ERROR: { readonly method?: string }
  MESSAGE_TOO_LARGE: { readonly bytes: number; readonly limit: number }
  AGENT_ERROR: {
    readonly agentCode?: number
    readonly agentData?: JsonObject
    readonly withheld?: readonly string[]
  }
  PROVIDER_FAULT: { readonly provider: string }
  MODEL_ERROR: { readonly agentCode?: number; readonly withheld?: readonly string[] }
  AGENT_BUSY: { readonly retryAfterMs?: number }
  AUTH_REQUIRED: { readonly methods: readonly AuthMethod[]; readonly withheld: readonly string[] }
  STARTUP_TIMEOUT: ProcessFacts & { readonly limitMs: number }
  IDLE_TIMEOUT: { readonly limitMs: number }
  TOTAL_TIMEOUT: { readonly limitMs: number }
  SCHEMA_MISMATCH: { readonly path?: string; readonly detail: string }
  CANCELLED: { readonly by: 'signal' | 'request' }
  OWNER_LOST: { readonly pid?: number }
  STORE_READONLY: { readonly file: string }
  STORE_FAILED: { readonly file: string; readonly errno?: string }
  CLOSED: { readonly [key: string]: never }
}

export interface AuthMethod {
  readonly id: string
  readonly name: string
  /** What a person types to sign in, where the method is one that runs in a terminal. */
  readonly command?: string
}

export type ErrorCode = keyof ErrorDataByCode

/** The shape of every error that leaves the process as JSON (`E` of design.md §7). */
export interface ErrorJson {
  readonly code: ErrorCode
  readonly message: string
  readonly phase: ErrorPhase
  readonly retryable: boolean
  readonly data: JsonObject
}

const brand = Symbol.for('subgate.SubagentError')

/** Says what was asked, what went wrong and what to do. `code` is from the closed catalogue. */
export class SubagentError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'SubagentError'
  readonly code: C
  readonly phase: ErrorPhase
  readonly data: ErrorDataByCode[C]

  constructor(code: C, phase: ErrorPhase, message: string, data: ErrorDataByCode[C], options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.phase = phase
    this.data = data
    Object.defineProperty(this, brand, { value: true })
  }

  get retryable(): boolean {
    return ERROR_CATALOG[this.code].retryable
  }

  get category(): EndingCategory | undefined {
    return ERROR_CATALOG[this.code].category
  }

  toJSON(): ErrorJson {
    const { code, message, phase, retryable } = this
    return { code, message, phase, retryable, data: JSON.parse(JSON.stringify(this.data)) as JsonObject }
  }

  /** Also true of an instance made by another copy of this module, as in a loaded provider. */
  static is(value: unknown): value is SubagentError {
    return value instanceof Error && brand in value
  }

  /**
   * Reads an error that crossed a border as JSON; undefined when it isn't one of ours. Its sender is believed in
   * nothing else: words and data are cut, and lists are lists.
   */
  static fromJSON(value: unknown): SubagentError | undefined {
    if (!isRecord(value)) return undefined
    const { code, message, phase } = value
    if (typeof code !== 'string' || !Object.hasOwn(ERROR_CATALOG, code) || typeof message !== 'string')
      return undefined
    const known = code as ErrorCode
    const where = PHASES.find((candidate) => candidate === phase) ?? 'prompt'
    const data = { ...boundedObject(value['data']), ...listsOf(value['data']) }
    return new SubagentError(known, where, boundedDetail(message), data)
  }
}

const LISTS = ['known', 'missing', 'fields', 'alternatives', 'withheld', 'methods'] as const

/** An empty list in place of what should be one, so that who reads the data needn't doubt it. */
const listsOf = (data: unknown): JsonObject => {
  const given = isRecord(data) ? data : {}
  const wrong = LISTS.filter((field) => Object.hasOwn(given, field) && !Array.isArray(given[field]))
  return Object.fromEntries(wrong.map((field) => [field, []]))
}
