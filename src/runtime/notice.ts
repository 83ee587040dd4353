/** A kept child's notice to its parent, written in the transaction that settles its run (B11.2). Pure. */
import type { RunSettled } from '../contract/events.ts'
import type { RunId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import type { SessionLog } from '../sessions/session-log.ts'
import type { Together } from '../sessions/store.ts'

const MAX_BYTES = 32 * 1024

/** What a letter carries of an answer; the whole is in the child's log. */
const bounded = (answer: string, runId: RunId): string => {
  if (Buffer.byteLength(answer) <= MAX_BYTES) return answer
  const kept = Buffer.from(answer)
    .subarray(0, MAX_BYTES)
    .toString('utf8')
    .replace(/\uFFFD+$/u, '')
  return `${kept}…\n\n[The rest is cut here. The whole answer is in the log of ${runId}.]`
}

/** A one-shot child's parent has the result itself. */
export const settlementNotice = (
  { header, registers }: Pick<SessionLog, 'header' | 'registers'>,
  runId: RunId,
  { status, category, structured, error }: Pick<RunSettled, 'status' | 'category' | 'structured' | 'error'>,
  said: string,
  at: number,
): Together | undefined => {
  const { parentId, id, label } = header
  if (parentId === undefined || registers.descriptor?.mode !== 'kept') return undefined
  const answer = structured === undefined ? said : JSON.stringify(structured)
  const words = [error?.message ?? '', answer].filter((part) => part.trim() !== '').join('\n\n')
  const text = words === '' ? undefined : bounded(words, runId)
  return {
    post: [
      { to: parentId, from: id, at, kind: 'settled', runId, status, ...present({ category, label, text }) },
    ],
  }
}
