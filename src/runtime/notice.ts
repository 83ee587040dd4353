/** A kept child's notice to its parent, written in the transaction that settles its run (B11.2). Pure. */
import type { RunSettled } from '../contract/events.ts'
import type { RunId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { Together } from '../sessions/store.ts'

/** A one-shot child's parent has the result itself. */
export const settlementNotice = (
  { header, registers }: Pick<SessionLog, 'header' | 'registers'>,
  runId: RunId,
  { status, category }: Pick<RunSettled, 'status' | 'category'>,
  at: number,
): Together | undefined => {
  const { parentId, id, label } = header
  if (parentId === undefined || registers.descriptor?.mode !== 'kept') return undefined
  return {
    post: [{ to: parentId, from: id, at, kind: 'settled', runId, status, ...present({ category, label }) }],
  }
}
