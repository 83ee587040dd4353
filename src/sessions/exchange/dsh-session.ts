/** Reads one session of dsh 0.1 as one of ours (B9.4). Pure. */
import { sessionId } from '../../contract/ids.ts'
import { present } from '../../contract/present.ts'
import { badFile } from './bad-file.ts'
import { readDescriptor } from './dsh-descriptor.ts'
import { readDshEvents, readDshHeader } from './dsh-records.ts'
import { ROOT_PROVIDER, translate } from './dsh-translation.ts'
import type { WholeSession } from './format.ts'
import type { Row } from './read-session.ts'

/**
 * `cwd` stands in for the directory of a session that was made without one. The root of a child is its parent here;
 * who knows its parents finds the real one.
 */
export const readDshSession = (first: Row, rows: readonly Row[], cwd: string): WholeSession => {
  const header = readDshHeader(first)
  const events = readDshEvents(rows)
  const { seedLength = 0, agentPreset, parentSession } = header
  if (seedLength > events.length) {
    throw badFile(
      first.place,
      `${seedLength} of its events are inherited, but it has ${events.length}`,
      'seedLength',
    )
  }
  const described = events.find(({ type, seq }) => type === 'subagent/descriptor' && seq >= seedLength)
  const descriptor = described && readDescriptor(described, agentPreset)
  const translated = translate({ header, events, ...present({ descriptor, described }) })
  const { provider, label } = descriptor?.event ?? { provider: ROOT_PROVIDER }
  const id = sessionId(header.id)
  const parentId = parentSession === undefined ? undefined : sessionId(parentSession)
  return {
    header: {
      id,
      rootId: parentId ?? id,
      ...present({ parentId }),
      provider,
      depth: header.delegationDepth,
      cwd: header.cwd ?? cwd,
      ...present({ label }),
      createdAt: header.createdAt,
    },
    ...translated,
  }
}
