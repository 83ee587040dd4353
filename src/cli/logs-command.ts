/** `subgate logs`: the events of a session or run, replayed and, with -f, followed. */
import { SubagentError } from '../contract/errors.ts'
import type { LogEntry } from '../contract/events.ts'
import type { SessionId } from '../contract/ids.ts'
import { openReader } from '../gateway-store.ts'
import { eventDocument, SIGNAL_EXITS } from './documents.ts'
import type { Io } from './io.ts'
import { followed } from './reading/following.ts'
import { logText } from './reading/log-text.ts'
import { meant } from './reading/meant.ts'
import type { Meant } from './reading/meant.ts'
import { entriesOf } from './reading/pages.ts'
import { finish, tell, UNTOLD } from './reading/telling.ts'
import { Interrupts } from './run/interrupts.ts'
import { abilitiesOf } from './terminal/abilities.ts'

export interface LogsFlags {
  readonly json?: true
  readonly follow?: true
  readonly after?: string
}

export const logsCommand = async (text: string, flags: LogsFlags, io: Io): Promise<number> => {
  const after = flags.after === undefined ? undefined : eventNumber(flags.after)
  using interrupts = new Interrupts(
    () => {},
    () => process.exit(SIGNAL_EXITS[interrupts.received ?? 'SIGINT']),
  )
  using reader = openReader({ env: io.env })
  const found = meant(reader, text, io.cwd)
  let lost = false
  const onLost = (): void => {
    lost = true
    io.say('The process that ran it is gone. The next start of Subgate settles it as interrupted.')
  }
  const entries = entriesToTell(found, {
    after,
    follow: flags.follow === true,
    signal: interrupts.signal,
    onLost,
  })
  const teller = flags.json === true ? jsonTeller(found.session.header.id, io) : wordTeller(io)
  for await (const entry of entries) {
    teller.entry(entry)
    await io.stdout.ready()
    if (!io.stdout.open || interrupts.received !== undefined) break
  }
  teller.end()
  if (interrupts.received !== undefined) return SIGNAL_EXITS[interrupts.received]
  return lost ? 1 : 0
}

interface Wanted {
  readonly after: number | undefined
  readonly follow: boolean
  readonly signal: AbortSignal
  readonly onLost: () => void
}

/** Of a copied session its own part, unless it is told from where; of a run that was named, that run. */
const entriesToTell = (
  { store, session, run }: Meant,
  { after, follow, signal, onLost }: Wanted,
): Iterable<LogEntry> | AsyncIterable<LogEntry> => {
  const { header, registers } = session
  const inherited = header.prefix.reduce((sum, { count }) => sum + count, 0)
  const start = after ?? inherited
  const from = run === undefined ? start : Math.max(start, run.firstSeq - 1)
  const { openRun } = registers
  if (follow && openRun !== undefined && (run === undefined || run.id === openRun))
    return followed(store, { id: header.id, run: openRun, after: from, signal, onLost })
  return entriesOf(store, header.id, from, run?.lastSeq)
}

interface Teller {
  entry(entry: LogEntry): void
  end(): void
}

const jsonTeller = (id: SessionId, { stdout }: Io): Teller => ({
  entry: (entry) => stdout.json(eventDocument(entry.runId, id, entry)),
  end: () => {},
})

const wordTeller = ({ stdout, env }: Io): Teller => {
  const look = { width: stdout.width, style: abilitiesOf(stdout, env) }
  let telling = UNTOLD
  return {
    entry: (entry) => {
      const [next, lines] = tell(telling, entry)
      telling = next
      stdout.write(logText(lines, look))
    },
    end: () => stdout.write(logText(finish(telling)[1], look)),
  }
}

const eventNumber = (text: string): number => {
  if (/^\d+$/u.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw new SubagentError(
    'INVALID_REQUEST',
    'request',
    `--after is "${text}", but it must be the number of an event: 0 for all, or a seq of logs --json.`,
    { field: '--after' },
  )
}
