/** Changes one file: in turn with other changes of it, with approval where the policy asks, and at once. */
import type { ToolCallContent } from '../../contract/content.ts'
import { authorize, decideAccess, factsOf } from '../sandbox.ts'
import { currentFile } from './current-file.ts'
import type { CurrentFile } from './current-file.ts'
import { shownChange } from './diff.ts'
import type { ShownChange } from './diff.ts'
import { ToolFailure } from './failure.ts'
import { inTurn } from './in-turn.ts'
import { locate } from './paths.ts'
import type { Place } from './paths.ts'
import { replaceFile } from './replace-file.ts'
import { rememberSeen, seenStamp } from './seen-files.ts'
import type { ToolContext } from './tool.ts'

export interface Change {
  readonly path: string
  /** Such as "Edit"; the shown path follows it. */
  readonly verb: string
  /** What is shown for approval when the file may not be read before. */
  sketch(path: string): ToolCallContent
  /** The new text, or a `ToolFailure`. */
  propose(now: CurrentFile | undefined, seen: string | undefined, place: Place): string
}

export interface Changed extends ShownChange {
  readonly place: Place
  readonly created: boolean
}

export const changeFile = async (change: Change, context: ToolContext): Promise<Changed> => {
  const { real } = await locate(change.path, context)
  return inTurn(real, async () => {
    context.signal.throwIfAborted()
    // Again, since the changes before this one may have taken their time.
    const place = await locate(change.path, context)
    if (place.real !== real) throw new ToolFailure(`${place.shown} was moved meanwhile. Nothing was written.`)
    return changeInTurn(change, place, context)
  })
}

const changeInTurn = async (change: Change, place: Place, context: ToolContext): Promise<Changed> => {
  const { real, inside } = place
  const readable = decideAccess(factsOf({ kind: 'read', inside }, context)) === 'allow'
  const access = {
    kind: 'write',
    inside,
    path: real,
    title: `${change.verb} ${place.shown}`,
    toolKind: 'edit',
  } as const
  const before = readable ? await proposal(change, place, context) : undefined
  const content = before?.shown.content ?? change.sketch(real)
  const asked = await authorize({ ...access, content: [content] }, context)
  context.signal.throwIfAborted()
  // Where nobody was asked no time has passed, else what was approved must still be what is done.
  const now = before !== undefined && !asked ? before : await proposal(change, place, context)
  if (before !== undefined && now.file?.stamp !== before.file?.stamp)
    throw new ToolFailure(
      `${place.shown} changed while the approval was awaited. Nothing was written: read it again.`,
    )
  const stamp = await replaceFile(real, now.text, now.file?.stats)
  rememberSeen(context.outputs, real, stamp)
  return { place, created: now.file === undefined, ...now.shown }
}

interface Proposal {
  readonly file: CurrentFile | undefined
  readonly text: string
  readonly shown: ShownChange
}

const proposal = async (change: Change, place: Place, { outputs }: ToolContext): Promise<Proposal> => {
  const file = await currentFile(place.real)
  const text = change.propose(file, seenStamp(outputs, place.real), place)
  const old = file === undefined ? null : (file.text ?? `(${place.shown} ${file.unfit ?? 'is not shown'})`)
  return { file, text, shown: shownChange(place.real, old, text) }
}
