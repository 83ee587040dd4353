/** What still works below a chat is named after it was opened again, with all that stands above it (acp.md §3.7). */
import { expect, test } from 'vitest'
import { present } from '../../../src/contract/present.ts'
import { silentLogger } from '../../../src/contract/logger.ts'
import type { LogEntry, SessionEvent } from '../../../src/contract/events.ts'
import type { SessionId } from '../../../src/contract/ids.ts'
import { stretchesOf } from '../../../src/acp/history.ts'
import { continuing, nameContinuing, retell } from '../../../src/acp/retelling.ts'
import { ChildSessions } from '../../../src/acp/subagents/sessions.ts'
import { ChildTree } from '../../../src/acp/subagents/tree.ts'
import { StoredRun } from '../../../src/runtime/stored-run.ts'
import { memoryStore } from '../../../src/sessions/memory-store.ts'
import { EMPTY_REGISTERS } from '../../../src/sessions/registers.ts'
import type { SessionHeader, Store } from '../../../src/sessions/store.ts'
import { runId, sessionId } from '../../../src/contract/ids.ts'
import { settledAs, startedWith } from '../../fixtures/child-logs.ts'
import { saying } from '../../fixtures/entries.ts'

const TAKES = { messages: true, notices: true, echoes: false } as never

/** Parents' ids stand before the slash: `a/b` hangs on `a`. `open`: its run isn't over. */
const add = (store: Store, path: string, at: number, open: boolean): void => {
  const ids = path.split('/')
  const id = ids.at(-1) ?? ''
  const parent = ids.at(-2)
  const run = runId(`run_${id}`)
  const header: SessionHeader = {
    id: sessionId(id),
    rootId: sessionId(ids[0] ?? ''),
    ...(parent !== undefined && { parentId: sessionId(parent) }),
    provider: 'p',
    depth: ids.length - 1,
    cwd: '/work',
    createdAt: at,
    prefix: [],
  }
  const entry = (seq: number, event: SessionEvent): LogEntry => ({ seq, at: at + seq, runId: run, event })
  const above = present({ parentSessionId: header.parentId })
  const started = { ...startedWith(`do ${id}`), ...above } as SessionEvent
  const [said, settled] = [saying(`I am ${id}`), settledAs()]
  store.publish(header, [entry(1, started)], { ...EMPTY_REGISTERS, openRun: run })
  store.append(header.id, entry(2, said), { ...EMPTY_REGISTERS, openRun: run }, true)
  if (!open) store.append(header.id, entry(3, settled), { lastCompleted: 3 }, true)
}

const rig = (paths: Readonly<Record<string, 'open' | 'over'>>) => {
  const store = memoryStore()
  for (const [index, [path, is]] of Object.entries(paths).entries())
    add(store, path, index * 10, is === 'open')
  const said: string[] = []
  const names = new Map<string, string>([['chat', 'chat']])
  const show = new ChildSessions({
    chatId: 'chat',
    questions: undefined as never,
    terminals: new Set(),
    toGateway: false,
    notify: async (on, { update }) => {
      const { sessionUpdate: kind, ...facts } = update as any
      if (kind === 'subagent_update') {
        if (facts.description !== undefined) names.set(facts.sessionId, facts.description.slice(3))
        const can = facts.capabilities?.cancel === undefined ? 'fixed' : 'stoppable'
        said.push(
          `${names.get(on)} has ${names.get(facts.sessionId)}: ${facts.state?.state ?? 'known'}, ${can}`,
        )
      } else if (kind === 'agent_message_chunk') said.push(`${names.get(on)}: ${facts.content.text}`)
    },
  })
  const source = {
    titleOf: (name: string) => name,
    stored: (id: SessionId) => ({ cwd: store.get(id)?.header.cwd ?? '', nativeId: undefined }),
    cancelSubagent: () => {},
  }
  const tree = new ChildTree({ chatId: 'chat', show, source, takes: TAKES, log: silentLogger })
  const children = {
    lose: () => tree.lose(),
    anew: () => tree.anew(),
    own: tree.own.bind(tree),
    take: tree.take.bind(tree),
    shown: tree.shown.bind(tree),
    name: tree.name.bind(tree),
    adopt: tree.adopt.bind(tree),
  }
  const host = {
    store,
    storedRun: (row: ConstructorParameters<typeof StoredRun>[0]) => new StoredRun(row, store, () => 0),
  }
  const stretches = stretchesOf(store, 'root')
  const retelling = { host, stretches, takes: TAKES, children, say: async () => {} }
  return {
    said,
    retell: () => retell(retelling),
    name: () => nameContinuing(continuing(retelling), retelling),
  }
}

const TREE = {
  root: 'over',
  'root/a': 'over',
  'root/a/b': 'open',
  'root/a/b/c': 'over',
  'root/d': 'over',
} as const

test('after a resume: what is at work, below what it hangs on, and nothing else', async () => {
  const it = rig(TREE)
  expect(await it.name()).toEqual(['root'])
  expect(it.said).toEqual(['chat has a: idle, fixed', 'a has b: running, stoppable'])
})

test('after a load: of what is at work nothing is told as if it were over, and then it is named', async () => {
  const it = rig(TREE)
  await it.retell()
  expect(it.said.some((line) => line.startsWith('b: ') || line.includes('has b'))).toBe(false)
  expect(it.said).toContain('d: I am d')
  expect(it.said.filter((line) => line.startsWith('chat has d'))).toEqual([
    'chat has d: running, fixed',
    'chat has d: idle, fixed',
  ])
  const before = it.said.length
  await it.name()
  expect(it.said.slice(before, before + 2)).toEqual([
    'chat has a: known, fixed',
    'a has b: running, stoppable',
  ])
})

test('where nothing is at work nothing is named, and nothing is followed', async () => {
  const it = rig({ root: 'over', 'root/a': 'over' })
  expect(await it.name()).toEqual([])
  expect(it.said).toEqual([])
})
