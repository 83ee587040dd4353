/** Claude Code's list of things to do as ACP's plan, built from the calls that change it. Pure and total. */
import type { SessionUpdate } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'

type PlanEntry = Extract<SessionUpdate, { sessionUpdate: 'plan'; entries: unknown }>['entries'][number]

/** Entries by their number. */
export type Plan = Readonly<Record<string, PlanEntry>>

const str = (value: unknown): string => (typeof value === 'string' ? value : '')

const STATUS: Readonly<Record<string, PlanEntry['status']>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
}

const entry = (content: unknown, status: unknown): PlanEntry => ({
  content: str(content),
  priority: 'medium',
  status: STATUS[str(status)] ?? 'pending',
})

const numbered = (entries: readonly PlanEntry[]): Plan =>
  Object.fromEntries(entries.map((each, index) => [String(index + 1), each]))

/** The plan after a call; undefined when the call doesn't change it. Earlier versions wrote it whole each time. */
export const planAfter = (plan: Plan, name: unknown, given: unknown): Plan | undefined => {
  const input = isRecord(given) ? given : {}
  const { todos, taskId, status, subject } = input
  if (name === 'TodoWrite' && Array.isArray(todos))
    return numbered(todos.filter(isRecord).map((todo) => entry(todo['content'], todo['status'])))
  if (name === 'TaskCreate') {
    const next = Math.max(0, ...Object.keys(plan).map(Number)) + 1
    return { ...plan, [String(next)]: entry(subject, 'pending') }
  }
  const id = typeof taskId === 'number' ? String(taskId) : str(taskId)
  const before = Object.hasOwn(plan, id) ? plan[id] : undefined
  if (name !== 'TaskUpdate' || before === undefined) return undefined
  if (status === 'deleted') return Object.fromEntries(Object.entries(plan).filter(([key]) => key !== id))
  return { ...plan, [id]: entry(subject ?? before.content, status ?? before.status) }
}
