/** One stored session in a few facts, as `ps`, `show` and `sessions list` give them; also their JSON (docs/sessions.md). */
import type { ContentBlock } from '../../contract/content.ts'
import type { LogEntry, RunStarted } from '../../contract/events.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import type { Usage } from '../../contract/result.ts'
import type { ListedSession, Store, StoredRun } from '../../gateway-store.ts'
import { stateOf } from './state.ts'
import type { SessionState } from './state.ts'

export interface SessionSummary {
  readonly sessionId: SessionId
  readonly rootSessionId: SessionId
  readonly parentSessionId?: SessionId
  readonly provider: string
  readonly depth: number
  /** Label, name, or the first line of the first prompt; `''` when there is none of them. */
  readonly title: string
  readonly label?: string
  readonly name?: string
  readonly cwd: string
  readonly state: SessionState
  readonly createdAt: number
  readonly changedAt: number
  /** Its newest run. */
  readonly run?: RunSummary
  /** The process that holds it open. */
  readonly pid?: number
}

export interface RunSummary {
  readonly runId: RunId
  readonly startedAt: number
  readonly settledAt?: number
  readonly status?: string
  readonly usage?: Usage
}

export const summaryOf = (store: Pick<Store, 'read' | 'runs'>, listed: ListedSession): SessionSummary => {
  const { header, owner, at, run } = listed
  const { id, rootId, parentId, provider, depth, label, name, cwd, createdAt } = header
  return {
    sessionId: id,
    rootSessionId: rootId,
    ...present({ parentSessionId: parentId }),
    provider,
    depth,
    title: label ?? name ?? firstLine(firstPrompt(store, id)),
    ...present({ label, name }),
    cwd,
    state: stateOf(listed),
    createdAt,
    changedAt: at,
    ...present({ run: run === undefined ? undefined : runSummary(run), pid: owner?.pid }),
  }
}

export const runSummary = ({ id, startedAt, settledAt, status, usage }: StoredRun): RunSummary => ({
  runId: id,
  startedAt,
  ...present({ settledAt, status, usage }),
})

/** The entry that began a run. */
export const startedEntry = (
  store: Pick<Store, 'read'>,
  { sessionId, firstSeq }: Pick<StoredRun, 'sessionId' | 'firstSeq'>,
): LogEntry | undefined => store.read(sessionId, firstSeq - 1, 1)[0]

const firstPrompt = (store: Pick<Store, 'read' | 'runs'>, id: SessionId): string => {
  const [first] = store.runs(id)
  const event = first === undefined ? undefined : startedEntry(store, first)?.event
  return event?.type === 'run/started' ? promptText(event) : ''
}

/** What of a prompt is text; other parts are named in brackets. */
export const promptText = ({ prompt = [] }: Pick<RunStarted, 'prompt'>): string =>
  prompt.map(blockText).join('\n')

export const blockText = (block: ContentBlock): string => {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `[${block.name}]`
    case 'resource':
      return `[${block.resource.uri}]`
    default:
      return `[${block.type}]`
  }
}

export const firstLine = (text: string): string =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? ''
