/** The signed word that carries who delegates, and how deep, into a child's environment (B2.7). */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { SubagentError } from '../contract/errors.ts'
import { sessionId } from '../contract/ids.ts'
import type { SessionId } from '../contract/ids.ts'
import { isRecord } from '../contract/json.ts'
import type { SandboxMode } from '../contract/request.ts'

export const LINEAGE_VARIABLE = 'SUBGATE_LINEAGE'
const VERSION = 1

/** Only facts that never change while the session lives. */
export interface LineageClaims {
  readonly root: SessionId
  readonly session: SessionId
  /** Of `session` itself. */
  readonly depth: number
  readonly maxDepth?: number
  /** What the delegation confined it to; a later switch is read from the store. */
  readonly sandbox?: SandboxMode
}

export function signLineage(claims: LineageClaims, key: Uint8Array): string {
  const { root, session, depth, maxDepth, sandbox } = claims
  const body = JSON.stringify({ v: VERSION, root, session, depth, maxDepth, sandbox })
  const payload = Buffer.from(body).toString('base64url')
  return `${payload}.${mac(payload, key)}`
}

export function verifyLineage(token: string, key: Uint8Array): LineageClaims {
  const dot = token.indexOf('.')
  const payload = token.slice(0, Math.max(dot, 0))
  // Texts are compared, not bytes: several texts decode to the same bytes, and only one was signed.
  if (!same(token.slice(dot + 1), mac(payload, key)))
    throw invalidLineage('it was changed, or signed by another user or installation')
  const value: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
  if (!isRecord(value) || value['v'] !== VERSION)
    throw invalidLineage('it was signed by another version of the gateway')
  const { root, session, depth, maxDepth, sandbox } = value
  if (!isId(root) || !isId(session)) throw invalidLineage('it names no session')
  if (!isDepth(depth) || (maxDepth !== undefined && !isDepth(maxDepth)))
    throw invalidLineage('its depth is not a whole number from 0')
  if (sandbox !== undefined && !isSandbox(sandbox))
    throw invalidLineage('its sandbox is none that is known here')
  return {
    root: sessionId(root),
    session: sessionId(session),
    depth,
    ...(maxDepth === undefined ? {} : { maxDepth }),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}

export const invalidLineage = (reason: string): SubagentError<'LINEAGE_INVALID'> =>
  new SubagentError(
    'LINEAGE_INVALID',
    'depth',
    `The delegation was refused: the token in ${LINEAGE_VARIABLE} is not valid here, as ${reason}. Start from a run that is open, or unset ${LINEAGE_VARIABLE} in a shell of your own.`,
    { reason },
  )

const mac = (payload: string, key: Uint8Array): string =>
  createHmac('sha256', key).update(payload).digest('base64url')

const same = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const SANDBOXES: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']
const isSandbox = (value: unknown): value is SandboxMode => SANDBOXES.some((mode) => mode === value)
const isId = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isDepth = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && !Object.is(value, -0)
