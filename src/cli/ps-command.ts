/** `subgate ps`: what runs now, in every gateway process of the user, and what it does. */
import { openReader } from '../gateway-store.ts'
import type { Io } from './io.ts'
import { gather } from './reading/processes.ts'
import { psText } from './reading/ps-text.ts'
import { flattened, INDENTED, treeOf } from './reading/tree.ts'
import { abilitiesOf } from './terminal/abilities.ts'

export interface PsFlags {
  readonly json?: true
  readonly all?: true
}

export const psCommand = async ({ json, all }: PsFlags, io: Io): Promise<number> => {
  using store = openReader({ env: io.env })
  const now = Date.now()
  const sessions = store === undefined ? [] : gather(store, { all: all === true, now })
  const queued = store?.load().queued ?? 0
  if (json === true) {
    const ordered = flattened(treeOf(sessions), INDENTED).map(({ session }) => session)
    io.stdout.json({ type: 'ps', sessions: ordered, queued })
    return 0
  }
  if (sessions.length > 0)
    io.stdout.write(psText(sessions, { width: io.stdout.width, style: abilitiesOf(io.stdout, io.env), now }))
  else if (all === true) io.say('Nothing ran in the last day. Start something: subgate run <provider> "…"')
  else io.say('Nothing runs. What has ended: subgate ps --all, or subgate sessions list')
  await io.stdout.flushed()
  if (queued > 0) io.say(`${queued} ${queued === 1 ? 'start waits' : 'starts wait'} for a free slot.`)
  return 0
}
