/** Claude Code's questions before a tool runs, and the answers in its own words. Pure but for path checks. */
import { isAbsolute } from 'node:path'
import type { PermissionOption, PermissionOutcome } from '../../contract/content.ts'
import { isRecord } from '../../contract/json.ts'
import type { PermissionQuestion } from '../../contract/provider.ts'
import type { PermissionPolicy, ResolvedStartRequest } from '../../contract/request.ts'
import { isInside, realTarget } from '../../process/confine.ts'
import { isOffered } from './arguments.ts'
import { INNER_TOOLS, READING_TOOLS } from './capabilities.ts'
import { explicitPermission } from './policy.ts'
import { QUESTION_TOOL } from './questionnaire.ts'
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

type Json = Readonly<Record<string, unknown>>
type Roots = Pick<ResolvedStartRequest, 'sandbox' | 'cwd' | 'additionalDirectories'>

/** Under `workspace-write` its file tools stay within the roots: its own sandbox holds its shell alone. */
export const leavesRoots = async (
  tool: string,
  input: Json,
  { sandbox, cwd, additionalDirectories }: Roots,
): Promise<boolean> => {
  const field = WRITING[tool]
  if (sandbox !== 'workspace-write' || field === undefined) return false
  const path = input[field]
  // Where it stands by now, and what it makes of a `~`, is its own affair.
  if (typeof path !== 'string' || !isAbsolute(path)) return true
  try {
    const { real } = await realTarget(path)
    return !(await isInside(real, [cwd, ...additionalDirectories]))
  } catch {
    // A link to nothing, for one: whoever writes there creates what it points to.
    return true
  }
}

/** Why a tool may not run at all, whoever would allow it. What isn't offered can't be called; this is the second lock. */
export const forbidden = async (
  tool: string,
  input: unknown,
  opened: ResolvedStartRequest,
): Promise<string | undefined> => {
  if (!INNER_TOOLS.includes(tool) && !isOffered(tool, opened))
    return `The tool ${tool} is not available here.`
  if (await leavesRoots(tool, isRecord(input) ? input : {}, opened))
    return 'The path lies outside of the folders that may be written here.'
  return undefined
}

/** Whether a call is put to the run's policy before Claude Code's own rules are. */
export const isToAskFirst = (
  tool: string,
  request: Pick<ResolvedStartRequest, 'permission' | 'requested'>,
  configured: PermissionPolicy | undefined,
): boolean => {
  if (explicitPermission(request, configured) === undefined || request.permission === 'allow') return false
  // A question to the person is no act that a policy decides on.
  if (INNER_TOOLS.includes(tool) || tool === QUESTION_TOOL) return false
  // Where it reads beyond its folders it asks by itself.
  return request.permission === 'deny' || !READING_TOOLS.includes(tool)
}
