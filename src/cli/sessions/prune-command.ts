/** `subgate sessions prune`: shows which stored sessions are old, and removes them once that is confirmed. */
import { SubagentError } from '../../contract/errors.ts'
import { inOrder, openReader, prunable, removeSessions } from '../../gateway-store.ts'
import type { ListedSession, PruneRule } from '../../gateway-store.ts'
import type { Io } from '../io.ts'
import { listed } from '../reading/pages.ts'
import { summaryOf } from '../reading/summary.ts'
import { abilitiesOf } from '../terminal/abilities.ts'
import { confirmed } from '../yes-no.ts'
import { listText } from './list-text.ts'
import { ruleOf } from './prune-rule.ts'
import type { RuleFlags } from './prune-rule.ts'

export interface PruneFlags extends RuleFlags {
  readonly json?: true
  readonly dryRun?: true
  readonly yes?: true
}

type Trees = readonly (readonly ListedSession[])[]

export const pruneCommand = async (flags: PruneFlags, io: Io): Promise<number> => {
  const rule = ruleOf(flags)
  const { trees, held } = candidates(rule, flags, io)
  await io.stdout.flushed()
  const ids = inOrder(trees)
  const going = flags.dryRun !== true && ids.length > 0 && (await agreed(flags, trees, io))
  const removed = going ? await removeSessions(ids, { env: io.env }) : []
  const stayed = held + (going ? ids.length - removed.length : 0)
  if (flags.json === true) {
    const which = flags.dryRun === true ? ids : removed
    io.stdout.json({ type: 'prune', dryRun: flags.dryRun === true, sessionIds: which, held })
    return 0
  }
  if (ids.length === 0) {
    if (held === 0) io.say('No stored session is that old.')
  } else if (flags.dryRun === true) io.say(`${counted(ids.length)} would be removed.`)
  else io.say(going ? `${counted(removed.length)} removed.` : 'Nothing was removed.')
  if (stayed > 0) io.say(`${counted(stayed)} would go too, but something of it still runs or is held open.`)
  return 0
}

/** What would go; shown to people. */
const candidates = (rule: PruneRule, { json }: PruneFlags, io: Io): { trees: Trees; held: number } => {
  using store = openReader({ env: io.env })
  if (store === undefined) return { trees: [], held: 0 }
  const now = Date.now()
  const found = prunable([...listed(store, {})], rule, now)
  const roots = found.trees.flatMap((tree) => tree.slice(0, 1))
  if (json !== true && roots.length > 0)
    io.stdout.write(
      listText(
        roots.map((root) => summaryOf(store, root)),
        {
          width: io.stdout.width,
          style: abilitiesOf(io.stdout, io.env),
          now,
          directories: true,
        },
      ),
    )
  return found
}

const agreed = async ({ yes, json }: PruneFlags, trees: Trees, io: Io): Promise<boolean> => {
  if (yes === true) return true
  if (json === true || !io.isInteractive)
    throw new SubagentError(
      'INVALID_REQUEST',
      'request',
      'Nobody is here to confirm it, so nothing was removed. Add --yes, or --dry-run to look.',
      { field: '--yes' },
    )
  const sessions = trees.flat().length
  const below = sessions === trees.length ? '' : `, with what they started ${counted(sessions)}`
  return confirmed(`Remove ${counted(trees.length)}${below}, for good?`, io)
}

const counted = (count: number): string => `${count} ${count === 1 ? 'session' : 'sessions'}`
