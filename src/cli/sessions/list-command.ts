/** `subgate sessions list`: what is stored, newest change first. */
import { resolve } from 'node:path'
import { SubagentError } from '../../contract/errors.ts'
import { openReader } from '../../gateway-store.ts'
import type { Io } from '../io.ts'
import { summaryOf } from '../reading/summary.ts'
import { abilitiesOf } from '../terminal/abilities.ts'
import { listText } from './list-text.ts'

export interface ListFlags {
  readonly json?: true
  readonly all?: true
  readonly cwd?: string
  readonly limit?: string
}

const LIMIT = 20

export const listCommand = async ({ json, all, cwd, limit }: ListFlags, io: Io): Promise<number> => {
  const most = limit === undefined ? LIMIT : count('--limit', limit)
  const everywhere = all === true && cwd === undefined
  using store = openReader({ env: io.env })
  const found =
    store?.list({
      ...(everywhere ? {} : { cwd: resolve(io.cwd, cwd ?? '.') }),
      ...(all !== true && { rootsOnly: true }),
      limit: most + 1,
    }) ?? []
  const sessions = store === undefined ? [] : found.slice(0, most).map((each) => summaryOf(store, each))
  const more = found.length > most
  if (json === true) {
    io.stdout.json({ type: 'sessions', sessions, more })
    return 0
  }
  if (sessions.length > 0) {
    const look = {
      width: io.stdout.width,
      style: abilitiesOf(io.stdout, io.env),
      now: Date.now(),
      directories: everywhere,
    }
    io.stdout.write(listText(sessions, look))
    await io.stdout.flushed()
    if (more) io.say(`There are more: subgate sessions list --limit ${most * 5}`)
  } else if (everywhere || store === undefined || store.list({ limit: 1 }).length === 0)
    io.say('No session is stored yet. Start one: subgate run <provider> "…"')
  else
    io.say(
      `No session ${all === true ? 'was started' : 'of yours was started'} in this directory. Those of others: subgate sessions list --all`,
    )
  return 0
}

/** A whole number of at least 1. */
const count = (flag: string, text: string): number => {
  if (/^\d+$/u.test(text) && Number(text) >= 1 && Number.isSafeInteger(Number(text))) return Number(text)
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `${flag} is "${text}", but it must be a whole number of at least 1.`,
    { field: flag },
  )
}
