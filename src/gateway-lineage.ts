/** Who this process works for, and the tokens that it gives to those who work for it. */
import { present } from './contract/present.ts'
import { resolveLineage } from './lineage/ancestor.ts'
import { loadKey } from './lineage/key.ts'
import { LINEAGE_VARIABLE, signLineage } from './lineage/token.ts'
import { ancestorsOf, isLive } from './process/ancestry.ts'
import { listRecords } from './process/records.ts'
import type { LineagePort } from './runtime/options.ts'

/** Throws `LINEAGE_INVALID`. */
export const openLineage = (
  stateDir: string,
  env: Readonly<Record<string, string | undefined>>,
): LineagePort => {
  const ancestor = resolveLineage({
    token: env[LINEAGE_VARIABLE],
    key: () => loadKey(stateDir),
    records: () => listRecords(stateDir),
    isLive,
    ancestors: () => ancestorsOf(process.pid),
  })
  return { ...present({ ancestor }), sign: (claims) => signLineage(claims, loadKey(stateDir)) }
}
