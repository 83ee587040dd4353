/** What of a dsh log its model still sees: messages can be replaced by others, as by a summary. Pure. */
import { badFile } from './bad-file.ts'
import type { DshEvent } from './dsh-records.ts'

export interface Surface {
  /** Whether a message is hidden from the model by another. */
  isHidden(seq: number): boolean
  /** The message that stands in the place of the hidden ones that begin with this one. */
  inPlaceOf(seq: number): DshEvent | undefined
}

export const surfaceOf = (events: readonly DshEvent[]): Surface => {
  const nodes: number[] = []
  const hidden = new Set<number>()
  /** Of a replacement the first message that it stands for. */
  const anchors = new Map<number, number>()
  for (const { seq, surfaceOp, place } of events) {
    if (surfaceOp === 'append') nodes.push(seq)
    if (surfaceOp === undefined || surfaceOp === 'append') continue
    const from = nodes.indexOf(surfaceOp.start)
    const to = nodes.indexOf(surfaceOp.end)
    if (from < 0 || to < from) {
      const what = `messages ${surfaceOp.start} to ${surfaceOp.end}`
      throw badFile(place, `it replaces ${what}, which aren't there`, 'surfaceOp')
    }
    anchors.set(seq, anchors.get(surfaceOp.start) ?? surfaceOp.start)
    for (const gone of nodes.splice(from, to - from + 1, seq)) hidden.add(gone)
  }
  const standing = new Map(
    [...anchors].flatMap(([seq, anchor]) => {
      const event = events[seq]
      return hidden.has(seq) || event === undefined ? [] : [[anchor, event] as const]
    }),
  )
  return { isHidden: (seq) => hidden.has(seq), inPlaceOf: (seq) => standing.get(seq) }
}
