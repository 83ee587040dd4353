/** `subgate show`: one stored session, or one of its runs, with what it was asked and what came out. */
import { present } from '../contract/present.ts'
import { openReader } from '../gateway-store.ts'
import type { ListedSession, Store, StoredRun } from '../gateway-store.ts'
import type { Io } from './io.ts'
import { meant } from './reading/meant.ts'
import { entriesOf, listed } from './reading/pages.ts'
import { readActivity } from './reading/processes.ts'
import { RunRecorder } from './reading/run-record.ts'
import type { RunRecord } from './reading/run-record.ts'
import { showText } from './reading/show-text.ts'
import type { Shown } from './reading/show-text.ts'
import { summaryOf } from './reading/summary.ts'
import { abilitiesOf } from './terminal/abilities.ts'

export interface ShowFlags {
  readonly json?: true
}

export const showCommand = async (text: string, { json }: ShowFlags, io: Io): Promise<number> => {
  using reader = openReader({ env: io.env })
  const { store, session, runs } = meant(reader, text, io.cwd)
  const shown = readSession(store, session, runs)
  if (json === true) io.stdout.json({ type: 'session', ...shown })
  else
    io.stdout.write(
      showText(shown, {
        width: io.stdout.width,
        style: abilitiesOf(io.stdout, io.env),
        now: Date.now(),
      }),
    )
  return 0
}

/** `runs` are the ones that are wanted, oldest first. */
const readSession = (store: Store, session: ListedSession, runs: readonly StoredRun[]): Shown => {
  const { header, registers } = session
  const family = [...listed(store, { rootId: header.rootId })]
  const parent = family.find(({ header: { id } }) => id === header.parentId)
  const children = family.filter(({ header: { parentId } }) => parentId === header.id)
  const openChildren = children.filter(({ registers: { openRun } }) => openRun !== undefined).length
  const activity = registers.openRun === undefined ? undefined : readActivity(store, session, openChildren)
  const summary = (each: ListedSession) => summaryOf(store, each)
  return {
    session: { ...summary(session), ...present({ nativeId: registers.nativeId, activity }) },
    ...present({ parent: parent && summary(parent) }),
    children: children.toSorted((one, other) => one.header.createdAt - other.header.createdAt).map(summary),
    runs: runs.map((run) => readRun(store, run)),
  }
}

const readRun = (store: Pick<Store, 'read'>, { id, sessionId, firstSeq, lastSeq }: StoredRun): RunRecord => {
  const recorder = new RunRecorder(id)
  for (const entry of entriesOf(store, sessionId, firstSeq - 1, lastSeq)) recorder.take(entry)
  return recorder.record()
}
