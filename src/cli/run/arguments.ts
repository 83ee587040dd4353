/** The flags of `run`, read from what commander parsed. Pure, but for files that they name. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseDuration } from '../../contract/durations.ts'
import { SubagentError } from '../../contract/errors.ts'
import { isRecord } from '../../contract/json.ts'
import type { JsonObject } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import type {
  PermissionPolicy,
  RunLimits,
  SandboxMode,
  SubagentStartRequest,
} from '../../contract/request.ts'
import { mcpFlag } from './mcp-flag.ts'

export const FORMATS = ['text', 'json', 'stream-json', 'quiet'] as const
export type Format = (typeof FORMATS)[number]

/** As commander hands them over. */
export interface RunFlags {
  readonly provider?: string
  readonly file?: string
  readonly outputFormat?: Format
  readonly json?: true
  readonly cwd?: string
  readonly addDir?: readonly string[]
  readonly timeout?: string
  readonly idleTimeout?: string
  readonly maxDepth?: string
  readonly agent?: string
  readonly model?: string
  readonly effort?: string
  readonly maxTurns?: string
  readonly maxTokens?: string
  readonly maxCost?: string
  /** Claude Code's name for it. */
  readonly maxBudgetUsd?: string
  readonly mcpConfig?: string
  readonly image?: readonly string[]
  readonly attach?: readonly string[]
  readonly sandbox?: SandboxMode
  readonly permission?: PermissionPolicy
  readonly onDenied?: 'fail' | 'continue'
  readonly jsonSchema?: string
  readonly outputSchema?: string
  readonly env?: readonly string[]
  readonly label?: string
  /** A session's or run's id, a unique prefix of one, or `last`. */
  readonly resume?: string
  /** The name of a kept session. */
  readonly session?: string
  readonly fork?: true
  readonly idempotencyKey?: string
  readonly verbose?: true
}

const usage = (field: string, message: string): SubagentError =>
  new SubagentError('INVALID_REQUEST', 'request', message, { field })

/** Decimal digits only, so that `-0`, `1e3` and `0x1` are refused like words. */
const wholeNumber = (field: string, text: string, least: number): number => {
  if (/^\d+$/u.test(text) && Number.isSafeInteger(Number(text)) && Number(text) >= least) return Number(text)
  throw usage(field, `${field} is "${text}", but it must be a whole number of at least ${least}.`)
}

const dollars = (field: string, text: string): number => {
  if (/^\d+(?:\.\d+)?$/u.test(text)) return Number(text)
  throw usage(field, `${field} is "${text}", but it must be an amount in US dollars, such as 0.50.`)
}

/** Reads a flag that was given; two names of one thing are refused together. */
const read = <T>(
  given: Readonly<Record<string, string | undefined>>,
  reader: (flag: string, text: string) => T,
): T | undefined => {
  const [first, second] = Object.entries(given).filter(([, text]) => text !== undefined)
  if (first !== undefined && second !== undefined)
    throw usage(first[0], `Both ${first[0]} and ${second[0]} were given. Leave one out.`)
  return first?.[1] === undefined ? undefined : reader(first[0], first[1])
}

const limitsOf = (flags: RunFlags): RunLimits | undefined => {
  const duration = (flag: string, text: string): number => parseDuration(text, flag)
  const count = (flag: string, text: string): number => wholeNumber(flag, text, 1)
  const limits = present({
    totalMs: read({ '--timeout': flags.timeout }, duration),
    idleMs: read({ '--idle-timeout': flags.idleTimeout }, duration),
    maxTurns: read({ '--max-turns': flags.maxTurns }, count),
    maxTokens: read({ '--max-tokens': flags.maxTokens }, count),
    maxCostUsd: read({ '--max-cost': flags.maxCost, '--max-budget-usd': flags.maxBudgetUsd }, dollars),
  })
  return Object.keys(limits).length === 0 ? undefined : limits
}

/** `--env NAME` passes the variable on, `--env NAME=value` sets it. */
export const environmentFlags = (flags: readonly string[]): Readonly<Record<string, string | true>> =>
  Object.fromEntries(
    flags.map((flag): [string, string | true] => {
      const [, name, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/su.exec(flag) ?? []
      if (name === undefined)
        throw usage('--env', '--env takes NAME or NAME=value, and NAME is letters, digits and _.')
      return [name, value ?? true]
    }),
  )

/** JSON text, or the name of a file that holds it. */
export const schemaFlag = (flag: string, given: string, cwd: string): JsonObject => {
  const inline = given.trimStart().startsWith('{')
  let text = given
  if (!inline) {
    try {
      text = readFileSync(resolve(cwd, given), 'utf8')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw usage(
        flag,
        `${flag} names the file ${given}, which can't be read (${code}). Give a file, or JSON.`,
      )
    }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw usage(flag, `${flag} ${inline ? 'holds' : `names ${given}, which holds`} no valid JSON.`)
  }
  if (isRecord(value)) return value as JsonObject
  throw usage(flag, `${flag} must be a JSON object.`)
}

/** A name, or a path from where the command was typed. */
const presetFlag = (given: string, cwd: string): string =>
  given.includes('/') || given.endsWith('.md') ? resolve(cwd, given) : given

/** All of the request but its provider and prompt. */
export const requestFromFlags = (
  flags: RunFlags,
  cwd: string,
): Omit<SubagentStartRequest, 'provider' | 'prompt'> => {
  const { agent, model, effort, sandbox, permission, addDir = [], label, idempotencyKey, mcpConfig } = flags
  return present({
    cwd: resolve(cwd, flags.cwd ?? '.'),
    preset: agent === undefined ? undefined : presetFlag(agent, cwd),
    model,
    effort,
    sandbox,
    permission,
    label,
    idempotencyKey,
    outputSchema: read(
      { '--json-schema': flags.jsonSchema, '--output-schema': flags.outputSchema },
      (flag, given) => schemaFlag(flag, given, cwd),
    ),
    maxDepth: read({ '--max-depth': flags.maxDepth }, (flag, given) => wholeNumber(flag, given, 0)),
    mcpServers: mcpConfig === undefined ? undefined : mcpFlag(mcpConfig, cwd),
    additionalDirectories: addDir.length === 0 ? undefined : addDir.map((path) => resolve(cwd, path)),
    limits: limitsOf(flags),
  })
}

export const formatOf = ({ json, outputFormat }: RunFlags): Format => {
  if (json !== true) return outputFormat ?? 'text'
  if (outputFormat === undefined || outputFormat === 'json') return 'json'
  throw usage('--json', `Both --json and --output-format ${outputFormat} were given. Leave one out.`)
}
