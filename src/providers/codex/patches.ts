/** Codex's unified diffs as ACP's old and new texts: of a changed file the hunks, of an added or deleted one all. Pure. */
import type { ToolCallContent } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'

type Diff = Extract<ToolCallContent, { type: 'diff' }>

interface Sides {
  readonly oldText: string
  readonly newText: string
}

/** Lines of hunks without their marks; headers and `\ No newline at end of file` are no lines. */
const sidesOf = (unified: string): Sides => {
  const before: string[] = []
  const after: string[] = []
  for (const line of unified.split('\n')) {
    const [mark, rest] = [line[0], line.slice(1)]
    if (line.startsWith('@@') || line.startsWith('---') || line.startsWith('+++') || mark === '\\') continue
    if (mark === '-') before.push(rest)
    else if (mark === '+') after.push(rest)
    else if (mark === ' ') {
      before.push(rest)
      after.push(rest)
    }
  }
  return { oldText: whole(before), newText: whole(after) }
}

const whole = (lines: readonly string[]): string => (lines.length === 0 ? '' : `${lines.join('\n')}\n`)

const diffOf = (change: unknown): Diff | undefined => {
  if (!isRecord(change) || typeof change['path'] !== 'string') return undefined
  const { path, kind, diff } = change
  const unified = typeof diff === 'string' ? diff : ''
  const type = isRecord(kind) ? kind['type'] : kind
  if (type === 'add') return { type: 'diff', path, newText: unified }
  if (type === 'delete') return { type: 'diff', path, oldText: unified, newText: '' }
  const moved = isRecord(kind) && typeof kind['move_path'] === 'string' ? kind['move_path'] : path
  return { type: 'diff', path: moved, ...sidesOf(unified) }
}

export const diffsOf = (changes: unknown): readonly Diff[] =>
  Array.isArray(changes) ? changes.flatMap((change: unknown) => diffOf(change) ?? []) : []
