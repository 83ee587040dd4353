/** How lists of sessions look. */
import { homedir } from 'node:os'
import { grid } from '../reading/grid.ts'
import type { Column } from '../reading/grid.ts'
import { stateWords } from '../reading/state.ts'
import type { SessionSummary } from '../reading/summary.ts'
import { age, shortIds, stateColor } from '../reading/words.ts'
import type { Style } from '../terminal/abilities.ts'
import { plain } from '../terminal/sanitize.ts'

export interface ListLook {
  /** Absent where it isn't a terminal: then ids are whole. */
  readonly width?: number | undefined
  readonly style: Style
  readonly now: number
  /** Sessions of several directories stand in one list. */
  readonly directories: boolean
}

export const listText = (
  sessions: readonly SessionSummary[],
  { width, style, now, directories }: ListLook,
): string => {
  const columns: readonly Column[] = [
    { head: 'SESSION' },
    { head: 'STATE', color: stateColor },
    { head: 'CHANGED' },
    { head: 'PROVIDER', optional: true },
    { head: 'TITLE', flexible: true },
    ...(directories ? [{ head: 'DIRECTORY', flexible: true } as const] : []),
  ]
  const short = shortIds(sessions.map(({ sessionId }) => sessionId))
  const rows = sessions.map((session) => [
    width === undefined ? session.sessionId : (short.get(session.sessionId) ?? session.sessionId),
    stateWords(session.state),
    age(now - session.changedAt),
    plain(session.provider),
    plain(session.title),
    ...(directories ? [plain(tilde(session.cwd))] : []),
  ])
  return grid(columns, rows, { width, style })
}

const tilde = (path: string): string => {
  const home = homedir()
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
