/** Idempotency keys as rows. */
import { SubagentError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import type { KeyLedger, UsedKey } from '../ledgers.ts'
import { answer, soon } from './core.ts'
import type { Core } from './core.ts'
import { enter, livingOwner } from './owners.ts'

interface KeyRow {
  readonly digest: string
  readonly owner: string
  readonly run: RunId | null
}

const usedKey = (core: Core, key: string): UsedKey | undefined => {
  const row = core.connection.one<KeyRow>('select digest, owner, run from keys where key = ?', key)
  if (row === undefined) return undefined
  const { digest, run } = row
  const alive = run !== null || livingOwner(core, row.owner) !== undefined
  return { digest, alive, ...(run !== null && { run }) }
}

/** In the transaction that publishes the run, so that a crash can't leave the one without the other. */
export const bindKey = ({ connection, self }: Core, key: string, run: RunId): void => {
  const { changes } = connection.run('update keys set run = ? where key = ? and owner = ?', run, key, self.id)
  if (changes === 1) return
  throw new SubagentError(
    'STORE_FAILED',
    'session',
    `The idempotency key of run ${run} was taken by another process meanwhile, so that the run was not begun here. Ask again: its run is given.`,
    { file: connection.file },
  )
}

export const keyLedger = (core: Core): KeyLedger => {
  const { connection, self } = core
  return {
    takeKey: (key, digest, at, olderThan) =>
      answer(core, () => {
        connection.run('delete from keys where at < ?', olderThan)
        const used = usedKey(core, key)
        // What a dead process had begun was never published: the key is as good as free.
        if (used?.alive === true) return used
        enter(core)
        connection.run(
          'insert or replace into keys (key, digest, at, owner) values (?, ?, ?, ?)',
          key,
          digest,
          at,
          self.id,
        )
        return undefined
      }),
    freeKey: (key) => {
      soon(core, () => {
        connection.run(
          'delete from keys where key = ? and (owner = ? or run not in (select id from runs))',
          key,
          self.id,
        )
      })
    },
    usedKey: (key) => connection.read(() => usedKey(core, key)),
  }
}
