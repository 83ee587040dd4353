/** The ACP diff of a change: the whole file while it is small, else the lines that changed and a few around. Pure. */
import { Buffer } from 'node:buffer'
import type { ToolCallContent } from '../../contract/content.ts'

const WHOLE = 64 * 1024
const AROUND = 3

export interface ShownChange {
  readonly content: ToolCallContent
  /** The first line that differs, from 1. */
  readonly line: number
}

const sameFrom = (a: readonly string[], b: readonly string[]): number => {
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1
  return same
}

const fits = (text: string): boolean => Buffer.byteLength(text) <= WHOLE

const changed = (lines: readonly string[], from: number, tail: number): string =>
  lines.slice(Math.max(from - AROUND, 0), lines.length - Math.max(tail - AROUND, 0)).join('\n')

/** `oldText` null: the file is new. */
export const shownChange = (path: string, oldText: string | null, newText: string): ShownChange => {
  const [before, after] = [oldText === null ? [] : oldText.split('\n'), newText.split('\n')]
  const from = sameFrom(before, after)
  const line = Math.min(from, after.length - 1) + 1
  if (fits(newText) && fits(oldText ?? '')) return { content: { type: 'diff', path, oldText, newText }, line }
  const rest = sameFrom(before.slice(from).toReversed(), after.slice(from).toReversed())
  const old = oldText === null ? null : changed(before, from, rest)
  const now = changed(after, from, rest)
  if (fits(now) && fits(old ?? ''))
    return { content: { type: 'diff', path, oldText: old, newText: now }, line }
  const size = Buffer.byteLength(newText)
  const text = `${path} gets ${size} bytes in ${after.length} lines, which is too much to show as a diff.`
  return { content: { type: 'content', content: { type: 'text', text } }, line }
}
