/** Claude Code's questions before a tool runs, and the answers in its own words. Pure but for path checks. */
import { isAbsolute, resolve, sep } from 'node:path'
import type { PermissionOption, PermissionOutcome } from '../../contract/content.ts'
import type { PermissionQuestion } from '../../contract/provider.ts'
import type { ResolvedStartRequest } from '../../contract/request.ts'
import { toolShape } from './tools.ts'

export const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'deny', name: 'Reject', kind: 'reject_once' },
]

export const questionOf = (tool: string, input: unknown, toolCallId: string): PermissionQuestion => {
  const { title, kind, content, locations } = toolShape(tool, input)
  return { toolCall: { toolCallId, title, kind, content, locations, rawInput: input }, options: OPTIONS }
}

const isAllowed = (outcome: PermissionOutcome): boolean =>
  outcome.outcome === 'selected' && outcome.optionId === 'allow'

const REJECTED = 'This was rejected. Go on without it, or say what you would have needed.'

export const toolAnswer = (outcome: PermissionOutcome, input: unknown): object => {
  if (isAllowed(outcome)) return { behavior: 'allow', updatedInput: input }
  return { behavior: 'deny', message: REJECTED, ...(outcome.outcome === 'cancelled' && { interrupt: true }) }
}

/** The answer of a hook goes before the user's own rules, which could allow without a question. */
export const hookAnswer = (decision: 'allow' | 'deny' | 'pass', reason: string = REJECTED): object =>
  decision === 'pass'
    ? { continue: true }
    : {
        continue: true,
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: decision,
          permissionDecisionReason: reason,
        },
      }

export const hookVerdict = (outcome: PermissionOutcome): 'allow' | 'deny' =>
  isAllowed(outcome) ? 'allow' : 'deny'

const WRITING: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  NotebookEdit: 'notebook_path',
}

/** Under `workspace-write` its file tools stay within the roots: its own sandbox holds its shell alone. */
export const leavesRoots = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  {
    sandbox,
    cwd,
    additionalDirectories,
  }: Pick<ResolvedStartRequest, 'sandbox' | 'cwd' | 'additionalDirectories'>,
  real: (path: string) => string,
): boolean => {
  const field = WRITING[tool]
  if (sandbox !== 'workspace-write' || field === undefined) return false
  const given = input[field]
  if (typeof given !== 'string') return true
  const path = real(isAbsolute(given) ? given : resolve(cwd, given))
  return ![cwd, ...additionalDirectories]
    .map(real)
    .some((root) => path === root || path.startsWith(root + sep))
}

/** Reading needs no question where the policy is the agent's own. */
export const READ_ONLY: ReadonlySet<string> = new Set([
  'Read',
  'Glob',
  'Grep',
  'TodoWrite',
  'StructuredOutput',
])
