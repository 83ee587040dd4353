/** Sets one built-in agent up while it is unpublished, and takes all of it back when anything fails (B3.2, B3.3). */
import { join } from 'node:path'
import { SessionOutputs } from '../../agent/large-outputs.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { ApprovalPolicy } from '../../contract/events.ts'
import { present } from '../../contract/present.ts'
import type { ResolvedStartRequest, SandboxMode } from '../../contract/request.ts'
import { rowsOf } from './capabilities.ts'
import { compose } from './composition.ts'
import type { Deployment } from './deployment.ts'
import { ajvInputs } from './inputs.ts'
import type { InProcessName, ProviderSessionOpener } from './provider.ts'
import { InProcessSession } from './session.ts'
import { sharedScopes } from './shared.ts'

/** Registries that all sessions of this provider stand on are made once. */
export const sessionOpener = (name: InProcessName, deployment: Deployment): ProviderSessionOpener => {
  const shared = sharedScopes()
  const compileSchema = ajvInputs()
  const { store, outputsDir, delegationTools } = deployment

  return async (request, setup) => {
    check(name, request)
    const { sessionId, parentSessionId } = request
    const isChild = parentSessionId !== undefined
    if (isChild && request.origin.from === 'new') {
      // After the captured policy, before anything is composed; the pin is for children in this process (B3.4).
      setup.record({ type: 'approval/policy', policy: 'never', source: 'delegation' })
      if (name === 'fork') setup.inherit(parentSessionId)
    }
    const registers = () => store.get(sessionId)?.registers
    const sandbox = (): SandboxMode => registers()?.sandbox ?? request.sandbox ?? deployment.sandbox
    const policy = (): ApprovalPolicy =>
      registers()?.approvalPolicy ?? (isChild && registers() === undefined ? 'never' : deployment.approvals)
    await using unwind = new AsyncDisposableStack()
    const composition = unwind.use(
      compose({
        request,
        shared,
        delegation: setup.delegation,
        delegationTools,
        sandbox,
        approvals: () => ({ policy: policy(), ...present({ source: registers()?.approvalSource }) }),
      }),
    )
    const model = await deployment.loadModel(modelOf(request, deployment))
    setup.signal.throwIfAborted()
    const outputs = unwind.use(new SessionOutputs(join(outputsDir, sessionId)))
    const capabilities = rowsOf(model)
    const parts = {
      request,
      deployment,
      model,
      capabilities,
      composition,
      outputs,
      compileSchema,
      sandbox,
      policy,
    }
    unwind.move()
    deployment.models.set(sessionId, model.ref)
    return new InProcessSession(parts)
  }
}

const check = (name: InProcessName, { parentSessionId, origin, requested }: ResolvedStartRequest): void => {
  const isChild = parentSessionId !== undefined
  if (name === 'fork' && !isChild && origin.from === 'new') {
    throw new SubagentError(
      'INVALID_REQUEST',
      'resolve',
      'A fork was asked for without a parent whose conversation it could share. Use spawn for a root session.',
      { field: 'parent' },
    )
  }
  if (isChild && requested.permission !== undefined && requested.permission !== 'deny') {
    throw new SubagentError(
      'INVALID_REQUEST',
      'resolve',
      `A delegated built-in agent asks nobody, so permission "${requested.permission}" can't hold. Leave it out, or ask for "deny".`,
      { field: 'permission' },
    )
  }
}

const modelOf = ({ model, parentSessionId }: ResolvedStartRequest, deployment: Deployment): string => {
  const inherited = parentSessionId && deployment.models.get(parentSessionId)
  const chosen = model ?? inherited ?? deployment.model
  if (chosen !== undefined) return chosen
  throw new SubagentError('INVALID_REQUEST', 'resolve', deployment.modelHint(), { field: 'model' })
}
