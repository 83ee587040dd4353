/** Logs go to stderr or a file, never to standard output. */
import { pino } from 'pino'
import type { Logger } from '../contract/logger.ts'

export const stderrLogger = (level: 'debug' | 'info' | 'warn'): Logger =>
  pino({ name: 'subgate', level }, pino.destination({ fd: 2, sync: true }))
