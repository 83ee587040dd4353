/** A child as the start of its run tells of it. */
import type { RunStarted } from '../../contract/events.ts'
import type { SubagentRun } from '../../contract/run.ts'
import { Child } from './child.ts'
import type { TreeSource } from './tree.ts'

const MAX_DESCRIPTION = 200

export interface Start {
  readonly run: SubagentRun
  readonly started: RunStarted
  /** It can be stopped. */
  readonly live: boolean
}

export const childOf = (
  { run, started, live }: Start,
  parent: Child | undefined,
  source: TreeSource,
): Child => {
  const { sessionId, provider, label } = run
  return new Child({
    key: sessionId,
    sessionId,
    parent,
    agent: source.titleOf(provider),
    label,
    description: firstLine(started),
    cwd: source.stored(sessionId)?.cwd,
    toolCallId: started.toolCallId,
    cancel: live ? () => run.cancel() : undefined,
  })
}

const firstLine = ({ prompt = [] }: RunStarted): string | undefined => {
  const first = prompt.find((block) => block.type === 'text')
  const line = first?.type === 'text' ? first.text.trim().split('\n', 1)[0] : undefined
  return line === undefined || line === '' ? undefined : line.slice(0, MAX_DESCRIPTION)
}
