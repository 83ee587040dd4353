/** Depth and caps of a tree (B2): pure. */
import { SubagentError } from '../contract/errors.ts'

export interface ParentDepth {
  readonly depth: number
  /** The cap stored with the parent's session. */
  readonly maxDepth?: number
}

export interface CapInputs {
  readonly parent?: ParentDepth
  /** The cap that a session which is taken up has already. */
  readonly stored?: number
  /** The request's own `maxDepth`. */
  readonly requested?: number
  /** The number that the operator gave the delegation tool. */
  readonly operator?: number
  /** The live host setting `subagent.maxDepth`; code may say that it sets no bound (B2.4). */
  readonly host?: HostCap
}

export type HostCap = number | 'unbounded'

/** B2.2, at every entry that gives a number apart from a request. */
export const checkCap = (value: unknown, field: string): void => {
  if (Number.isSafeInteger(value) && !Object.is(value, -0) && Number(value) >= 0) return
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `"${field}" is ${String(value)}, but a depth is a whole number from 0.`,
    { field },
  )
}

export interface DerivedDepth {
  readonly depth: number
  /** The effective cap; it is stored in the session's header. */
  readonly maxDepth?: number
}

export const lowest = (numbers: readonly (number | undefined)[]): number | undefined => {
  const given = numbers.filter((value) => value !== undefined)
  return given.length === 0 ? undefined : Math.min(...given)
}

/** B2.4: a root's cap is its own request, and never rises when it is taken up; a child's is the lowest that binds it. */
export const effectiveCap = ({
  parent,
  stored,
  requested,
  operator,
  host,
}: CapInputs): number | undefined => {
  if (parent === undefined) return lowest([stored, requested])
  const bound = parent.maxDepth !== undefined || operator !== undefined || host === 'unbounded'
  return lowest([parent.maxDepth, stored, requested, operator, bound ? undefined : host])
}

/** The child's depth and cap, or `DEPTH_EXCEEDED` (B2.1–B2.3). Equal passes; a root always does. */
export const deriveDepth = (inputs: CapInputs): DerivedDepth => {
  const { parent } = inputs
  const depth = parent === undefined ? 0 : parent.depth + 1
  if (!Number.isSafeInteger(depth) || depth < 0) {
    throw new SubagentError(
      'INVALID_REQUEST',
      'depth',
      `The parent's stored depth ${parent?.depth} is malformed.`,
      {
        field: 'parent',
      },
    )
  }
  const maxDepth = effectiveCap(inputs)
  if (parent !== undefined && maxDepth !== undefined && depth > maxDepth) {
    throw new SubagentError(
      'DEPTH_EXCEEDED',
      'depth',
      `The child would stand at depth ${depth}, but this tree ends at ${maxDepth}. Do the work directly.`,
      { attempted: depth, max: maxDepth },
    )
  }
  return { depth, ...(maxDepth !== undefined && { maxDepth }) }
}
