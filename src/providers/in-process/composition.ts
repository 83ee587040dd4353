/** Composes one agent while its session is unpublished (B3.2): tools, prompt sections, runtime context. */
import { controlTools, reportTool } from '../../agent/control-tools.ts'
import { mountDelegation } from '../../agent/delegation-tool.ts'
import { Inbox } from '../../agent/inbox.ts'
import { RuntimeContext } from '../../agent/prompt/runtime-context.ts'
import { PERSONA_ORDER, PERSONA_SECTION, PromptSections } from '../../agent/prompt/sections.ts'
import {
  APPROVAL_STATEMENT,
  approvalStatement,
  DELEGATION_STATEMENT,
  delegationStatement,
  SANDBOX_STATEMENT,
  sandboxStatement,
} from '../../agent/prompt/statements.ts'
import type { ApprovalState } from '../../agent/prompt/statements.ts'
import { ToolRegistry } from '../../agent/tools/registry.ts'
import { CONTROL_TOOL_NAMES, REPORT_TOOL_NAME } from '../../agent/tools/tool-names.ts'
import type { ToolFilter } from '../../contract/events.ts'
import { present } from '../../contract/present.ts'
import type { Delegation } from '../../contract/provider.ts'
import type { ResolvedStartRequest, SandboxMode } from '../../contract/request.ts'
import type { DelegationBinding } from '../../agent/delegation-tool.ts'
import type { Shared } from './shared.ts'

export interface Composition extends Disposable {
  readonly tools: ToolRegistry
  readonly sections: PromptSections
  readonly context: RuntimeContext
  readonly inbox: Inbox
}

export interface CompositionInputs {
  readonly request: ResolvedStartRequest
  readonly shared: Shared
  readonly delegation: Delegation
  readonly delegationTools: readonly DelegationBinding[]
  readonly sandbox: () => SandboxMode
  readonly approvals: () => ApprovalState
}

const AFTER_IDENTITY = 10
const SOMETIMES: ReadonlySet<string> = new Set([...CONTROL_TOOL_NAMES, REPORT_TOOL_NAME])

/** Instructions that replace shadow the deployment's identity; others follow it. */
const addInstructions = (sections: PromptSections, { preset, persona }: ResolvedStartRequest): void => {
  const instructions = preset?.instructions
  if (instructions?.mode === 'replace') {
    sections.section({ name: PERSONA_SECTION, order: PERSONA_ORDER, text: instructions.text })
  }
  if (instructions?.mode === 'append') {
    sections.section({ name: 'preset:instructions', order: AFTER_IDENTITY, text: instructions.text })
  }
  // A historical persona comes last and wins, also when it is empty (B6.1).
  if (persona !== undefined) sections.section({ name: PERSONA_SECTION, order: PERSONA_ORDER, text: persona })
}

/** A preset may name tools that its agent has only now and then. */
const mountedOf = ({ allow, deny }: ToolFilter, inherited: ToolRegistry): ToolFilter => {
  const mounted = (names: readonly string[] | undefined) =>
    names?.filter((name) => !SOMETIMES.has(name) || inherited.find(name) !== undefined)
  return present({ allow: mounted(allow), deny: mounted(deny) })
}

/** Throws what is wrong with the composition; then nothing of it is left in a shared registry. */
export const compose = (inputs: CompositionInputs): Composition => {
  const { request, shared, delegation, delegationTools, sandbox, approvals } = inputs
  using unwind = new DisposableStack()
  const inbox = new Inbox()
  const context = unwind.use(new RuntimeContext())
  // Delegation tools are inherited like any other, so that a preset can leave them out (B7.5).
  const inherited = unwind.use(new ToolRegistry(shared.tools))
  const background = { open: 0 }
  for (const binding of delegationTools) {
    const { tool, notice } = mountDelegation(binding, { delegation, background })
    inherited.add(tool)
    if (notice !== undefined) context.contribute(notice)
  }
  if (delegationTools.length > 0) {
    for (const tool of controlTools(delegation.agents)) inherited.add(tool)
  }
  if (request.parentSessionId !== undefined && request.keep) inherited.add(reportTool(delegation.agents))
  const tools = unwind.use(new ToolRegistry(inherited))
  const sections = unwind.use(new PromptSections(shared.sections))
  addInstructions(sections, request)
  if (request.preset?.tools !== undefined) tools.restrict(mountedOf(request.preset.tools, inherited))
  const roots = [request.cwd, ...request.additionalDirectories]
  context.contribute({ ...SANDBOX_STATEMENT, text: () => sandboxStatement(sandbox(), roots) })
  context.contribute({ ...APPROVAL_STATEMENT, text: () => approvalStatement(approvals()) })
  if (request.parentSessionId !== undefined) {
    context.contribute({ ...DELEGATION_STATEMENT, text: delegationStatement })
  }
  if (request.toolFilter !== undefined) tools.restrict(request.toolFilter)
  const scope = unwind.move()
  return { tools, sections, context, inbox, [Symbol.dispose]: () => scope.dispose() }
}
