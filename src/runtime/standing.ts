/** What a follow-up may ask of an agent that still stands: nothing that composed its session (laws 1, 9). Pure. */
import { isDeepStrictEqual } from 'node:util'
import { SubagentError } from '../contract/errors.ts'
import { present } from '../contract/present.ts'
import type { ResolvedStartRequest, SubagentStartRequest } from '../contract/request.ts'

const COMPOSED = [
  'cwd',
  'additionalDirectories',
  'mcpServers',
  'model',
  'effort',
  'sandbox',
  'maxDepth',
] as const

/** An empty list asks for nothing, and a cap above the one in force changes nothing. */
const isMet = (field: (typeof COMPOSED)[number], asked: unknown, stands: unknown): boolean => {
  if (asked === undefined || (Array.isArray(asked) && asked.length === 0)) return true
  if (field === 'maxDepth' && typeof stands === 'number') return Number(asked) >= stands
  return isDeepStrictEqual(asked, stands)
}

/** `INVALID_REQUEST` for the first field that differs from what the agent was opened with. */
export const holdToStanding = (request: SubagentStartRequest, opened: ResolvedStartRequest): void => {
  const field = COMPOSED.find((each) => !isMet(each, request[each], opened[each]))
  if (field === undefined) return
  throw new SubagentError(
    'INVALID_REQUEST',
    'resolve',
    `"${field}" differs from what the session's agent was opened with, and can't change while that agent stands. Leave it out, or start a new session.`,
    { field },
  )
}

/** What goes on as it was opened. */
export const standingControls = ({
  cwd,
  additionalDirectories,
  mcpServers,
  model,
  effort,
}: ResolvedStartRequest): Partial<ResolvedStartRequest> =>
  present({ cwd, additionalDirectories, mcpServers, model, effort })
