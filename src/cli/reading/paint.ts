/** Colors of words on a terminal. Pure. */
import { styleText } from 'node:util'
import type { Style } from '../terminal/abilities.ts'

export type Paint = 'yellow' | 'cyan' | 'red' | 'green' | 'dim' | 'bold'

export const paint = (text: string, color: Paint | undefined, { colors }: Pick<Style, 'colors'>): string =>
  colors && text !== '' && color !== undefined ? styleText(color, text, { validateStream: false }) : text
