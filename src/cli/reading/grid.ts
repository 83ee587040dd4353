/** Lines up cells in columns that fit the terminal. Pure. */
import type { Style } from '../terminal/abilities.ts'
import { fit, widthOf } from '../terminal/fit.ts'
import { paint } from './paint.ts'
import type { Paint } from './paint.ts'

export interface Column {
  readonly head: string
  /** Shares, with other such columns, what the rest leaves of the width. */
  readonly flexible?: true
  /** Left out where the terminal is too narrow. */
  readonly optional?: true
  readonly color?: (cell: string) => Paint | undefined
}

export interface GridOptions {
  /** Of the terminal; absent = nothing is shortened. */
  readonly width?: number | undefined
  readonly style: Style
}

const GAP = 2
/** Flexible columns together get at least so much before an optional column goes. */
const LEAST_FLEXIBLE = 24

/** Cells are one line each, and harmless. Each line is at least one column narrower than the terminal. */
export const grid = (
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, style }: GridOptions,
): string => {
  const cells = [columns.map(({ head }) => head), ...rows]
  const natural = columns.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))))
  const shown = width === undefined ? columns.map((_, at) => at) : kept(columns, natural, width - 1)
  const widths =
    width === undefined ? natural : shared(columns, natural, shown, width - 1 - GAP * (shown.length - 1))
  const mark = style.unicode ? '…' : '~'
  const line = (row: readonly string[], isHead: boolean): string =>
    shown
      .map((at, place) => {
        const text = fit(row[at] ?? '', widths[at] ?? 0, mark)
        const color = isHead ? 'dim' : columns[at]?.color?.(text)
        const gap = place === shown.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - widthOf(text) + GAP)
        return `${paint(text, color, style)}${gap}`
      })
      .join('')
      .trimEnd()
  return cells.map((row, at) => `${line(row, at === 0)}\n`).join('')
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Which columns are shown: optional ones go, the last first, until the flexible ones have room. */
const kept = (columns: readonly Column[], natural: readonly number[], room: number): readonly number[] => {
  const all = columns.map((_, at) => at)
  const flexible = all.filter((at) => columns[at]?.flexible === true)
  const wanted = Math.min(LEAST_FLEXIBLE, sum(flexible.map((at) => natural[at] ?? 0)))
  const optional = all.filter((at) => columns[at]?.optional === true)
  let shown = all
  const fixed = (): number =>
    sum(shown.filter((at) => !flexible.includes(at)).map((at) => natural[at] ?? 0)) + GAP * (shown.length - 1)
  while (optional.length > 0 && room - fixed() < wanted) {
    const gone = optional.pop()
    shown = shown.filter((at) => at !== gone)
  }
  return shown
}

/** Narrow flexible columns keep their width; the others share the rest evenly. */
const shared = (
  columns: readonly Column[],
  natural: readonly number[],
  shown: readonly number[],
  room: number,
): readonly number[] => {
  const widths = [...natural]
  const flexible = shown
    .filter((at) => columns[at]?.flexible === true)
    .toSorted((one, other) => (natural[one] ?? 0) - (natural[other] ?? 0))
  let left = room - sum(shown.filter((at) => !flexible.includes(at)).map((at) => natural[at] ?? 0))
  for (const [place, at] of flexible.entries()) {
    const share = Math.max(0, Math.floor(left / (flexible.length - place)))
    widths[at] = Math.min(natural[at] ?? 0, share)
    left -= widths[at]
  }
  return widths
}
