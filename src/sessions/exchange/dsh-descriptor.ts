/** How dsh 0.1 records the creation of a child, as a historical descriptor of ours (B9.1, B9.4). Pure. */
import * as z from 'zod/mini'
import '../../contract/zod-config.ts'
import type { SubagentDescriptor } from '../../contract/events.ts'
import { isRecord } from '../../contract/json.ts'
import { present } from '../../contract/present.ts'
import { badFile } from './bad-file.ts'
import { readAs } from './dsh-records.ts'
import type { DshEvent } from './dsh-records.ts'

/** The version that dsh 0.1 writes, and its number among ours: persona and tool filter stand in it. */
const KNOWN = 2
export const DSH_DESCRIPTOR: Pick<SubagentDescriptor, 'type' | 'version'> = {
  type: 'subagent/descriptor',
  version: KNOWN,
}

/** What dsh numbers otherwise is none of our versions; no number of ours is that high. */
const UNKNOWN_FROM = 1000

const text = z.string()
const base = { version: z.literal(KNOWN), provider: text.check(z.minLength(1)) }

/** As strict as dsh itself: what isn't understood must not be lost. */
const schema = z.discriminatedUnion('mode', [
  z.strictObject({ ...base, mode: z.literal('one-shot'), label: z.exactOptional(text) }),
  z.strictObject({
    ...base,
    mode: z.literal('continuable'),
    label: text,
    agentProvider: z.exactOptional(text),
    agentModel: z.exactOptional(text),
    persona: z.exactOptional(text),
    toolFilter: z.exactOptional(
      z.strictObject({ allow: z.exactOptional(z.array(text)), deny: z.exactOptional(z.array(text)) }).check(
        z.refine(({ allow, deny }) => allow !== undefined || deny !== undefined, {
          error: 'must have allow or deny',
        }),
      ),
    ),
  }),
])

export interface DshDescriptor {
  readonly event: SubagentDescriptor
  /** Why its agent can't be set up again as it was; absent = it can. */
  readonly closed?: string
}

const unknown = (version: number, data: Record<string, unknown>): DshDescriptor => ({
  event: {
    type: 'subagent/descriptor',
    version: UNKNOWN_FROM + Math.max(Math.trunc(version), 0),
    provider: typeof data['provider'] === 'string' ? data['provider'] : 'spawn',
    mode: data['mode'] === 'one-shot' ? 'one-shot' : 'kept',
    ...(typeof data['label'] === 'string' && { label: data['label'] }),
  },
  closed: `Version ${version} of dsh's descriptors is not known here, so how it was composed can't be told`,
})

/** A malformed one of the known version is refused by the name of its field. */
export const readDescriptor = ({ data, place }: DshEvent, preset: string | undefined): DshDescriptor => {
  const version = isRecord(data) ? data['version'] : undefined
  if (typeof version !== 'number' || !Number.isSafeInteger(version))
    throw badFile(place, '"data.version": must be a whole number', 'data.version')
  if (version !== KNOWN) return unknown(version, isRecord(data) ? data : {})
  const read = readAs(schema, data, place, 'data')
  const { provider, label } = read
  if (read.mode === 'one-shot') {
    return {
      event: {
        type: 'subagent/descriptor',
        version: KNOWN,
        provider,
        mode: 'one-shot',
        ...present({ label, preset }),
      },
      closed: "dsh doesn't record the composition of a one-shot child, and never goes on with one",
    }
  }
  const { agentProvider, agentModel, persona, toolFilter } = read
  const model = [agentProvider, agentModel].filter((part) => part !== undefined).join('/')
  return {
    event: {
      ...DSH_DESCRIPTOR,
      provider,
      mode: 'kept',
      ...present({ label, preset, persona, toolFilter }),
      ...(agentModel !== undefined && { model }),
    },
  }
}
