/** How wide a value is: the order that "narrower" and "wider" mean in configuration. */
import type { PermissionPolicy, SandboxMode } from '../contract/request.ts'

export type Width = 'permission' | 'sandbox' | 'limit' | 'count' | 'flag' | 'depth'

const PERMISSIONS: readonly PermissionPolicy[] = ['deny', 'ask', 'allow-reads', 'allow']
const SANDBOXES: readonly SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access']

const place = (order: readonly string[], value: unknown): number => {
  const at = order.findIndex((word) => word === value)
  return at === -1 ? Infinity : at
}

const counted = (value: unknown): number => (typeof value === 'number' ? value : Infinity)

const MEASURES: { readonly [W in Width]: (value: unknown) => number } = {
  permission: (value) => place(PERMISSIONS, value),
  sandbox: (value) => place(SANDBOXES, value),
  limit: (value) => (value === 0 ? Infinity : counted(value)),
  count: counted,
  depth: counted,
  flag: (value) => (value === false ? 0 : 1),
}

/** A greater number is wider; what isn't there, or isn't known, is the widest. */
export const widthOf = (width: Width, value: unknown): number => MEASURES[width](value)

/** False of a value that bounds nothing. */
export const binds = (width: Width, value: unknown): boolean =>
  value !== 'allow' && value !== 'danger-full-access' && widthOf(width, value) < Infinity
