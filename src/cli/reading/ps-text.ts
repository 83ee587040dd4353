/** How `ps` looks. Pure. */
import type { WaitingStart } from '../../gateway-store.ts'
import type { Style } from '../terminal/abilities.ts'
import { plain } from '../terminal/sanitize.ts'
import { grid } from './grid.ts'
import type { Column } from './grid.ts'
import type { RunningSession } from './processes.ts'
import { isOpen, stateWords } from './state.ts'
import { ASCII_LINES, flattened, INDENTED, LINES, treeOf } from './tree.ts'
import { age, clock, cost, shortIds, stateColor, tokens } from './words.ts'

export interface PsLook {
  /** Absent where it isn't a terminal: then ids are whole. */
  readonly width?: number | undefined
  readonly style: Style
  readonly now: number
}

const COLUMNS: readonly Column[] = [
  { head: 'SESSION' },
  { head: 'STATE', color: stateColor },
  { head: 'AGE' },
  { head: 'TOKENS', optional: true },
  { head: 'AGENT', flexible: true },
  { head: 'NOW', flexible: true },
]

/** One line a session, children below their parents; then one for each start that waits. */
export const psText = (
  sessions: readonly RunningSession[],
  waiting: readonly WaitingStart[],
  { width, style, now }: PsLook,
): string => {
  const branches = width === undefined ? INDENTED : style.unicode ? LINES : ASCII_LINES
  const placed = flattened(treeOf(sessions), branches)
  const short = shortIds(placed.map(({ session }) => session.sessionId))
  const rows = placed.map(({ session, branch }) => [
    width === undefined ? session.sessionId : (short.get(session.sessionId) ?? session.sessionId),
    stateWords(session.state),
    age(now - sinceOf(session)),
    spent(session),
    `${branch}${plain(`${session.provider} ${session.title}`)}`,
    plain(session.activity?.doing ?? ''),
  ])
  return grid(COLUMNS, [...rows, ...waiting.map((start) => waitingRow(start, now))], { width, style })
}

/** It has no session yet. */
const waitingRow = ({ provider, since, until, pid }: WaitingStart, now: number): readonly string[] => [
  '',
  'queued',
  since === undefined ? '' : age(now - since),
  '',
  plain(provider),
  `${until === undefined ? 'waits for a free slot' : `rate limited until ${clock(until)}`} (process ${pid})`,
]

/** An open run is as old as it runs; what else is listed, as long as nothing happened to it. */
const sinceOf = ({ state, run, changedAt }: RunningSession): number =>
  isOpen(state) ? (run?.startedAt ?? changedAt) : changedAt

const spent = ({ activity, run }: RunningSession): string => {
  const { usage } = run ?? {}
  const count = usage === undefined ? activity?.tokens : usage.inputTokens + usage.outputTokens
  const usd = usage?.costUsd ?? activity?.costUsd
  return [count === undefined ? '' : tokens(count), usd === undefined ? '' : cost(usd)].join(' ').trim()
}
