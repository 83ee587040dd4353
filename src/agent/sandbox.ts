/** The sandbox policy of file access: what goes on by itself, and what is put to the approval service. */
import type { ToolCallContent, ToolKind } from '../contract/content.ts'
import type { SandboxMode } from '../contract/request.ts'
import { ToolFailure } from './tools/failure.ts'
import type { ApprovalDecision, ToolContext } from './tools/tool.ts'

export type AccessKind = 'read' | 'write'

export interface AccessFacts {
  readonly mode: SandboxMode
  readonly kind: AccessKind
  /** Whether the real path lies in one of the session's directories. */
  readonly inside: boolean
  /** An explicit `deny`, `ask` or `allow-reads` of the run (B4.4). */
  readonly asksForWrites?: boolean
}

const ALLOWED: Readonly<Record<SandboxMode, (facts: AccessFacts) => boolean>> = {
  'danger-full-access': () => true,
  'workspace-write': ({ inside }) => inside,
  'read-only': ({ inside, kind }) => inside && kind === 'read',
}

export const decideAccess = (facts: AccessFacts): 'allow' | 'ask' =>
  !(facts.kind === 'write' && facts.asksForWrites === true) && ALLOWED[facts.mode](facts) ? 'allow' : 'ask'

/** Why an access that isn't allowed by itself needs asking. */
export const reasonToAsk = ({ mode, kind, inside }: AccessFacts): string => {
  const beyond = "it lies outside of the session's directories"
  if (mode !== 'danger-full-access' && !inside)
    return kind === 'write' && mode === 'read-only' ? `the sandbox is read-only, and ${beyond}` : beyond
  if (mode === 'read-only') return 'the sandbox is read-only'
  return 'the permission policy of this run asks before every write'
}

/** What would have let an access go on unasked: a session's sandbox is its children's too, its policy is not. */
export const unaskedWith = ({ mode, kind, inside, asksForWrites }: AccessFacts): string =>
  [
    ...(ALLOWED[mode]({ mode, kind, inside })
      ? []
      : [`--sandbox ${inside ? 'workspace-write' : 'danger-full-access'}`]),
    ...(kind === 'write' && asksForWrites === true ? ['"permission": "allow" in the configuration'] : []),
  ].join(' and ')

export interface Access {
  readonly kind: AccessKind
  readonly inside: boolean
  readonly path: string
  readonly title: string
  readonly toolKind: ToolKind
  readonly content?: readonly ToolCallContent[]
}

export const factsOf = (
  { kind, inside }: Pick<Access, 'kind' | 'inside'>,
  context: ToolContext,
): AccessFacts => ({ mode: context.sandbox(), kind, inside, asksForWrites: context.asksForWrites })

/** Returns whether it was asked. Only `allowed` returns after a question, and it counts for this one call. */
export const authorize = async (access: Access, context: ToolContext): Promise<boolean> => {
  const facts = factsOf(access, context)
  if (decideAccess(facts) === 'allow') return false
  const reason = reasonToAsk(facts)
  const { path, title, toolKind: kind, content } = access
  // A service that fails is one that isn't there: it fails closed (B4.2).
  const decision = await context
    .ask({
      title,
      kind,
      reason,
      flag: unaskedWith(facts),
      locations: [{ path }],
      ...(content !== undefined && { content }),
    })
    .catch((): ApprovalDecision => 'unavailable')
  if (decision === 'allowed') return true
  throw new ToolFailure(
    `${title} was not done: ${reason}, and ${ENDINGS[decision]}. Nothing was ${access.kind === 'read' ? 'read' : 'written'}.`,
  )
}

const ENDINGS: Readonly<Record<Exclude<ApprovalDecision, 'allowed'>, string>> = {
  rejected: 'the approval that it needs was rejected',
  cancelled: 'the question for approval was cancelled',
  unavailable: 'nobody could be asked for approval',
}
