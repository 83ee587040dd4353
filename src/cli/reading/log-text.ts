/** How told lines look: when, what, and the text beside it. Pure. */
import type { Style } from '../terminal/abilities.ts'
import { harmless } from '../terminal/sanitize.ts'
import { paint } from './paint.ts'
import type { Paint } from './paint.ts'
import type { Told } from './telling.ts'
import { clock, dated } from './words.ts'
import { wrap } from './wrap.ts'

export interface LogLook {
  /** Absent where it isn't a terminal: then lines are whole, and times have their dates. */
  readonly width?: number | undefined
  readonly style: Style
}

const WORD = 9

const COLORS: Readonly<Record<string, Paint>> = {
  asks: 'yellow',
  denied: 'yellow',
  warning: 'yellow',
  failed: 'red',
  error: 'red',
  started: 'cyan',
  settled: 'cyan',
}

export const logText = (lines: readonly Told[], { width, style }: LogLook): string =>
  lines
    .flatMap(({ at, word, text }) => {
      const time = width === undefined ? dated(at) : clock(at)
      const beside = time.length + WORD + 2
      const clean = harmless(text).replaceAll('\t', '  ').replaceAll('\n', ' ')
      const pieces = width === undefined ? [clean] : wrap(clean, Math.max(width - 1 - beside, 8))
      return pieces.map((piece, index) => {
        const first = index === 0 && word !== ''
        const lead = first
          ? `${paint(time, 'dim', style)} ${paint(word, COLORS[word] ?? 'bold', style)}${' '.repeat(Math.max(WORD - word.length, 0))} `
          : ' '.repeat(beside)
        return `${lead}${piece}`.trimEnd()
      })
    })
    .map((line) => `${line}\n`)
    .join('')
