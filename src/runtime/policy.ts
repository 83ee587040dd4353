/** Permission policies (B4.4): how wide each is, and what it answers. Pure. */
import type { PermissionOption, PermissionOutcome, ToolKind } from '../contract/content.ts'
import { SubagentError } from '../contract/errors.ts'
import type { PermissionPolicy, SandboxMode } from '../contract/request.ts'
import { isRead } from '../sessions/denials.ts'

const WIDTH: { readonly [P in PermissionPolicy]: number } = { deny: 0, ask: 1, 'allow-reads': 2, allow: 3 }
const ROOM: { readonly [M in SandboxMode]: number } = {
  'read-only': 0,
  'workspace-write': 1,
  'danger-full-access': 2,
}

const pick = (options: readonly PermissionOption[], ...kinds: readonly PermissionOption['kind'][]) =>
  kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined)

const selected = (option: PermissionOption | undefined): PermissionOutcome =>
  option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId }

export const rejection = (options: readonly PermissionOption[]): PermissionOutcome =>
  selected(pick(options, 'reject_once', 'reject_always'))

export interface Verdict {
  readonly by: 'person' | 'policy'
  readonly allowed: boolean
  readonly outcome: PermissionOutcome
}

const ASK_A_PERSON = 'ask'

/** What the policy says by itself; `ask` leaves it to a person. Only `allow_once` is ever picked for an allowance. */
export const decide = (
  policy: PermissionPolicy,
  kind: ToolKind,
  options: readonly PermissionOption[],
): Verdict | typeof ASK_A_PERSON => {
  const once = pick(options, 'allow_once')
  const deny: Verdict = { by: 'policy', allowed: false, outcome: rejection(options) }
  const allow: Verdict = once === undefined ? deny : { by: 'policy', allowed: true, outcome: selected(once) }
  switch (policy) {
    case 'allow':
      return allow
    case 'deny':
      return deny
    case 'allow-reads':
      return isRead(kind) ? allow : ASK_A_PERSON
    case 'ask':
      return ASK_A_PERSON
  }
}

/** A child's call only narrows the agent's configured value; a root's may choose any. */
export const effectivePolicy = (
  requested: PermissionPolicy | undefined,
  configured: PermissionPolicy,
  isChild: boolean,
): PermissionPolicy => {
  if (requested === undefined) return configured
  if (!isChild || WIDTH[requested] <= WIDTH[configured]) return requested
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `A child asked for permission "${requested}", but this agent is configured for "${configured}", and a child's call only narrows it.`,
    { field: 'permission' },
  )
}

/** The narrower of two overrides; an absent one confines nothing. */
export const narrowerSandbox = (
  one: SandboxMode | undefined,
  other: SandboxMode | undefined,
): SandboxMode | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  return ROOM[one] <= ROOM[other] ? one : other
}

/** Where a delegated child follows a default, only the narrowest mode is surely no widening (B4.5). */
export const checkSwitch = (requested: SandboxMode | undefined, own: SandboxMode | undefined): void => {
  if (requested === undefined || requested === 'read-only' || own !== undefined) return
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `A follow-up asked for the sandbox "${requested}", but no follow-up widens what its delegation gave. Delegate anew for that.`,
    { field: 'sandbox' },
  )
}

/** The parent's explicit override or something narrower (law 11). A preset only ever narrows what else holds. */
export const effectiveSandbox = (
  requested: SandboxMode | undefined,
  inherited: SandboxMode | undefined,
  preset?: SandboxMode,
): SandboxMode | undefined => {
  if (preset !== undefined) return narrowerSandbox(preset, effectiveSandbox(requested, inherited))
  if (requested === undefined || inherited === undefined) return requested ?? inherited
  if (ROOM[requested] <= ROOM[inherited]) return requested
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `The sandbox "${requested}" was asked for, but this session was handed "${inherited}". Ask for that or less.`,
    { field: 'sandbox' },
  )
}
