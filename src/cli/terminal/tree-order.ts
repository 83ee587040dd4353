/** Puts runs in the order of their tree, each below the one that delegated to it, with the branch that leads there. Pure. */
import type { Style } from './abilities.ts'

export interface Under {
  /** The run that delegated to this one, if it is shown. */
  readonly under?: string
  /** What waits for the person comes first among its siblings, with all that it stands below. */
  readonly needsYou?: boolean
}

export interface Branch<T> {
  readonly run: T
  /** `''` of a root. */
  readonly branch: string
}

const UNICODE = { child: '├─ ', last: '└─ ', past: '│  ', none: '   ' }
const ASCII = { child: '|- ', last: '`- ', past: '|  ', none: '   ' }

export const inTreeOrder = <T extends Under>(
  runs: ReadonlyMap<string, T>,
  { unicode }: Pick<Style, 'unicode'>,
): readonly Branch<T>[] => {
  const marks = unicode ? UNICODE : ASCII
  const below = Map.groupBy(runs.keys(), (id) => {
    const { under } = runs.get(id) ?? {}
    return under !== undefined && under !== id && runs.has(under) ? under : undefined
  })
  const waits = (id: string): boolean =>
    runs.get(id)?.needsYou === true || (below.get(id) ?? []).some((child) => waits(child))
  const placed = (id: string, branch: string, rest: string): Branch<T>[] => {
    const run = runs.get(id)
    return run === undefined ? [] : [{ run, branch }, ...childrenOf(id, rest)]
  }
  const siblings = (id: string | undefined): string[] =>
    (below.get(id) ?? []).toSorted((one, other) => Number(waits(other)) - Number(waits(one)))
  const childrenOf = (id: string, rest: string): Branch<T>[] =>
    siblings(id).flatMap((child, at, all) =>
      at === all.length - 1
        ? placed(child, rest + marks.last, rest + marks.none)
        : placed(child, rest + marks.child, rest + marks.past),
    )
  return siblings(undefined).flatMap((root) => placed(root, '', ''))
}
