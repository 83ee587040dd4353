/** Draws the live lines: one for each run, with what its agent does now and for how long. */
import { styleText } from 'node:util'
import type { Style } from './abilities.ts'
import { fit, widthOf } from './fit.ts'
import { plain } from './sanitize.ts'
import type { Branch } from './tree-order.ts'

export interface LiveLine {
  readonly path: string
  /** The run that delegated to this one, whose line it stands below. */
  readonly under?: string
  readonly doing: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** A question to the person is open. */
  readonly needsYou: boolean
}

const DOTS = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const BARS = ['|', '/', '-', '\\']

const two = (value: number): string => String(value).padStart(2, '0')

/** `7s`, `2m05s`, `1h02m`. */
export const elapsed = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`
  return `${Math.floor(seconds / 3600)}h${two(Math.floor(seconds / 60) % 60)}m`
}

/** Each line is at least one column narrower than the terminal, so that none ever wraps. */
export const renderStatus = (
  runs: readonly Branch<LiveLine>[],
  columns: number,
  frame: number,
  now: number,
  style: Style,
): string[] => {
  const spinner = style.unicode ? DOTS : BARS
  const turn = spinner[frame % spinner.length] ?? ''
  return runs.map((placed) => renderLine(placed, columns - 1, turn, now, style))
}

const renderLine = (
  { run, branch }: Branch<LiveLine>,
  room: number,
  turn: string,
  now: number,
  style: Style,
): string => {
  const mark = style.unicode ? '…' : '~'
  const sign = run.needsYou ? '?' : turn
  const time = elapsed(now - run.startedAt)
  // Sign, time and three spaces are fixed; the path gets half of what is left if both can't fit.
  const free = room - widthOf(sign) - widthOf(time) - 3
  if (free < 2) return fit(`${sign} ${time}`, room, mark)
  const [path, doing] = share(`${branch}${plain(run.path)}`, plain(run.doing), free, mark)
  const parts = [paint(sign, run.needsYou ? 'yellow' : 'cyan', style), path, paint(doing, 'dim', style), time]
  return parts.filter((part) => part !== '').join(' ')
}

const share = (path: string, doing: string, free: number, mark: string): readonly [string, string] => {
  if (widthOf(path) + widthOf(doing) <= free) return [path, doing]
  const shown = fit(path, Math.max(Math.floor(free / 2), free - widthOf(doing)), mark)
  return [shown, fit(doing, free - widthOf(shown), mark)]
}

const paint = (text: string, color: 'yellow' | 'cyan' | 'dim', style: Style): string =>
  style.colors && text !== '' ? styleText(color, text, { validateStream: false }) : text
