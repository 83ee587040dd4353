/** Which Codex answers: read from its handshake, and held against the oldest that speaks what is used here. Pure. */
import { isRecord } from '../../contract/json.ts'

/** Major and minor. Older ones were not tried: their switches for sub-agents and approvals may do nothing. */
export const OLDEST: readonly [number, number] = [0, 171]

/** From `subgate/0.171.0 (Debian 12; x86_64) …`: the word before the slash is the client's own name. */
export const versionOf = (answer: unknown): readonly [number, number] | undefined => {
  const agent = isRecord(answer) ? answer['userAgent'] : undefined
  const [, major, minor] = typeof agent === 'string' ? (/\/(\d+)\.(\d+)\.\d+/u.exec(agent) ?? []) : []
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)]
}

export const tooOld = ([major, minor]: readonly [number, number]): boolean =>
  major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
