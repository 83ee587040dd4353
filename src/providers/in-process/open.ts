/** Sets one built-in agent up while it is unpublished, and takes all of it back when anything fails (B3.2, B3.3). */
import { join } from 'node:path'
import { OUTPUT_LIMITS, SessionOutputs } from '../../agent/large-outputs.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { ApprovalPolicy } from '../../contract/events.ts'
import { present } from '../../contract/present.ts'
import type { ResolvedStartRequest, SandboxMode } from '../../contract/request.ts'
import { rowsOf } from './capabilities.ts'
import { compose } from './composition.ts'
import type { Composition, CompositionInputs } from './composition.ts'
import type { Deployment } from './deployment.ts'
import { ajvInputs } from './inputs.ts'
import { modelOf } from './model-of.ts'
import type { InProcessName, ProviderSessionOpener } from './provider.ts'
import { InProcessSession } from './session.ts'
import { sharedScopes } from './shared.ts'

/** Registries that all sessions of this provider stand on are made once. */
export const sessionOpener = (name: InProcessName, deployment: Deployment): ProviderSessionOpener => {
  const shared = deployment.shared ?? sharedScopes()
  const compileSchema = ajvInputs()
  const { store, outputsDir, delegationTools } = deployment

  return async (request, setup) => {
    const { sessionId, parentSessionId } = request
    const isChild = parentSessionId !== undefined
    if (isChild && request.origin.from !== 'resume') {
      // After the captured policy, before anything is composed; the pin is for children in this process (B3.4).
      setup.record({ type: 'approval/policy', policy: 'never', source: 'delegation' })
      if (name === 'fork' && request.origin.from === 'new') setup.inherit(parentSessionId)
    }
    const registers = () => store.get(sessionId)?.registers
    const sandbox = (): SandboxMode => registers()?.sandbox ?? request.sandbox ?? deployment.sandbox
    const policy = (): ApprovalPolicy =>
      registers()?.approvalPolicy ?? (isChild && registers() === undefined ? 'never' : deployment.approvals)
    await using unwind = new AsyncDisposableStack()
    const inputs = { request, shared, delegation: setup.delegation, delegationTools, sandbox }
    const approvals = () => ({ policy: policy(), ...present({ source: registers()?.approvalSource }) })
    const composition = unwind.use(composed(request, { ...inputs, approvals }))
    const model = await deployment.loadModel(modelOf(request, deployment))
    setup.signal.throwIfAborted()
    const outputs = unwind.use(
      new SessionOutputs(join(outputsDir, sessionId), OUTPUT_LIMITS, {
        maybeThere: request.origin.from === 'resume',
        ...present({ lasts: deployment.outputsLast }),
      }),
    )
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

/** A session that can't get its composition back isn't taken up with another one (B9.3). */
const composed = (request: ResolvedStartRequest, inputs: CompositionInputs): Composition => {
  try {
    return compose(inputs)
  } catch (error) {
    const { origin, sessionId, persona, toolFilter, preset } = request
    const historical = persona ?? toolFilter ?? preset
    if (origin.from !== 'resume' || historical === undefined || !(error instanceof Error)) throw error
    const reason = `its composition can't be restored (${error.message})`
    throw new SubagentError(
      'NOT_RESUMABLE',
      'session',
      `The session ${sessionId} can't be taken up again: ${reason}.`,
      { sessionId, reason },
    )
  }
}
