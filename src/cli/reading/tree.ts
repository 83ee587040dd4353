/** Puts listed sessions into trees: children below their parents, what needs a person first. Pure. */
import type { SessionId } from '../../contract/ids.ts'
import type { SessionSummary } from './summary.ts'

export interface TreeNode<S extends SessionSummary = SessionSummary> {
  readonly session: S
  readonly children: readonly TreeNode<S>[]
}

/** A session whose parent isn't listed stands at the top. Newest trees first, children in the order of their start. */
export const treeOf = <S extends SessionSummary>(sessions: readonly S[]): readonly TreeNode<S>[] => {
  const listed = new Set(sessions.map(({ sessionId }) => sessionId))
  const byParent = Map.groupBy(sessions, ({ parentSessionId }) =>
    parentSessionId !== undefined && listed.has(parentSessionId) ? parentSessionId : undefined,
  )
  const below = (parent?: SessionId): readonly TreeNode<S>[] =>
    (byParent.get(parent) ?? []).map((session) => ({
      session,
      children: below(session.sessionId).toSorted(
        (one, other) => one.session.createdAt - other.session.createdAt,
      ),
    }))
  const urgency = (node: TreeNode): number =>
    node.session.state === 'needs_you' || node.children.some((child) => urgency(child) > 0) ? 1 : 0
  const newest = (node: TreeNode): number => Math.max(node.session.changedAt, ...node.children.map(newest))
  return below().toSorted((one, other) => urgency(other) - urgency(one) || newest(other) - newest(one))
}

export interface Placed<S extends SessionSummary = SessionSummary> {
  readonly session: S
  /** What stands before it in a column that draws the tree. */
  readonly branch: string
}

/** How branches are drawn: to a child, to the last one, past a level, past an ended level. */
export type Branches = readonly [child: string, last: string, past: string, ended: string]

export const LINES: Branches = ['├─ ', '└─ ', '│  ', '   ']
export const ASCII_LINES: Branches = ['|- ', '`- ', '|  ', '   ']
export const INDENTED: Branches = ['  ', '  ', '  ', '  ']

/** Parents before their children, one after another. */
export const flattened = <S extends SessionSummary>(
  nodes: readonly TreeNode<S>[],
  branches: Branches,
  indent?: string,
): readonly Placed<S>[] =>
  nodes.flatMap((node, index) => {
    const [child, last, past, ended] = branches
    const isLast = index === nodes.length - 1
    const branch = indent === undefined ? '' : `${indent}${isLast ? last : child}`
    const deeper = indent === undefined ? '' : `${indent}${isLast ? ended : past}`
    return [{ session: node.session, branch }, ...flattened(node.children, branches, deeper)]
  })
