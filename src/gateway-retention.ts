/** Once a day, takes away what has lain unused for longer than the user wants it kept. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeFrom } from './gateway-store.ts'
import { inOrder, prunable } from './sessions/pruning.ts'
import type { ListedSession, Store } from './sessions/store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const PAGE = 200

export interface Retention {
  readonly store: Store
  readonly stateDir: string
  /** 0 = for ever. */
  readonly days: number
  readonly now: number
}

/** Resolves with how many sessions went; of a process that has just looked the next one takes the word. */
export const retain = async ({ store, stateDir, days, now }: Retention): Promise<number> => {
  if (days === 0 || !isDue(join(stateDir, 'pruned'), now)) return 0
  const rule = { olderThanMs: days * DAY_MS, keep: 0 }
  const { trees } = prunable(allOf(store), rule, now)
  return (await removeFrom(store, stateDir, inOrder(trees))).length
}

/** The file's time is that of the last look. */
const isDue = (file: string, now: number): boolean => {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (now - last < DAY_MS) return false
  writeFileSync(file, '', { mode: 0o600 })
  return true
}

const allOf = (store: Store): readonly ListedSession[] => {
  const all: ListedSession[] = []
  for (;;) {
    const last = all.at(-1)
    const after = last === undefined ? {} : { after: { at: last.at, id: last.header.id } }
    const page = store.list({ ...after, limit: PAGE })
    all.push(...page)
    if (page.length < PAGE) return all
  }
}
