/** `subgate ps`: what runs now, in every gateway process of the user, and what it does. */
import { present } from '../contract/present.ts'
import { openReader } from '../gateway-store.ts'
import type { WaitingStart } from '../gateway-store.ts'
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
  const waiting = store?.waiting() ?? []
  if (json === true) {
    const ordered = flattened(treeOf(sessions), INDENTED).map(({ session }) => session)
    io.stdout.json({
      type: 'ps',
      sessions: ordered,
      queued: waiting.length,
      waiting: waiting.map(waitingDocument),
    })
    return 0
  }
  if (sessions.length + waiting.length > 0) {
    const look = { width: io.stdout.width, style: abilitiesOf(io.stdout, io.env), now }
    io.stdout.write(psText(sessions, waiting, look))
  } else if (all === true) io.say('Nothing ran in the last day. Start something: subgate run <provider> "…"')
  else io.say('Nothing runs. What has ended: subgate ps --all, or subgate sessions list')
  await io.stdout.flushed()
  return 0
}

/** Without its session, which isn't there yet. */
const waitingDocument = ({ provider, since, reason, until, pid, parentId }: WaitingStart): object => ({
  provider,
  ...present({ since }),
  reason,
  ...present({ until }),
  pid,
  ...present({ parentSessionId: parentId }),
})
