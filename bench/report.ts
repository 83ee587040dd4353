/** The table that the benchmark prints, and the targets beside what was measured. */
import type { Name } from './contestants.ts'

export interface Row {
  readonly what: string
  readonly unit: 'ms' | 'MiB'
  /** Medians; absent where a contestant can't run here. */
  readonly values: { readonly [N in Name]?: number }
}

export interface Target {
  readonly what: string
  readonly row: string
  readonly most: number
  /** The target is a ratio to this contestant; absent = a figure in the row's unit. */
  readonly of?: Name
}

export const TARGETS: readonly Target[] = [
  { what: 'first text', row: 'first text', most: 0.35, of: 'acpx' },
  { what: 'first text', row: 'first text', most: 1.9, of: 'floor' },
  { what: '20,000 chunks', row: '20,000 chunks', most: 0.4, of: 'acpx' },
  { what: 'eight at once', row: 'eight at once', most: 0.2, of: 'acpx' },
  { what: 'peak memory', row: 'peak memory', most: 70 },
]

const NAMES: readonly Name[] = ['subgate', 'floor', 'sdk', 'acpx']
const HEADS = ['', 'subgate', 'floor', 'SDK client', 'acpx', '÷ floor', '÷ SDK client', '÷ acpx']

const ratio = (value: number | undefined, other: number | undefined): string =>
  value === undefined || other === undefined ? '–' : (value / other).toFixed(2)

export const table = (rows: readonly Row[]): string => {
  const cells = rows.map(({ what, unit, values }) => [
    what,
    ...NAMES.map((name) => (values[name] === undefined ? '–' : `${values[name].toFixed(0)} ${unit}`)),
    ...NAMES.slice(1).map((name) => ratio(values.subgate, values[name])),
  ])
  const all = [HEADS, ...cells]
  const widths = HEADS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** One target beside what was measured. */
export const verdict = (target: string, measured: string, met: boolean): string =>
  `${target}: ${measured} ${met ? '(met)' : '(MISSED)'}`

export const targets = (rows: readonly Row[]): string =>
  TARGETS.map(({ what, row, most, of }) => {
    const found = rows.find((candidate) => candidate.what === row)
    const [ours, theirs] = [found?.values.subgate, of === undefined ? 1 : found?.values[of]]
    const bound = of === undefined ? `${most} ${found?.unit ?? ''}` : `${most} × ${of}`
    if (ours === undefined || theirs === undefined) return `${what} ≤ ${bound}: not measured`
    const measured = ours / theirs
    const digits = of === undefined ? 0 : 2
    return verdict(`${what} ≤ ${bound}`, measured.toFixed(digits), measured <= most)
  }).join('\n')
