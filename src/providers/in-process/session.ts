/** A session of the built-in agent: each prompt is one turn over the conversation in its log. */
import { Approvals } from '../../agent/approvals.ts'
import { runTurn } from '../../agent/loop.ts'
import { SessionOutputs } from '../../agent/large-outputs.ts'
import { faultReader } from '../../agent/model-faults.ts'
import type { AgentModel } from '../../agent/models/model.ts'
import { systemPrompt } from '../../agent/prompt/system.ts'
import { StructuredOutput } from '../../agent/structured-output.ts'
import type { CompileSchema } from '../../agent/tools/input-check.ts'
import type { SubagentCapabilities } from '../../contract/capabilities.ts'
import type { ContentBlock } from '../../contract/content.ts'
import { SubagentError } from '../../contract/errors.ts'
import type { ApprovalPolicy } from '../../contract/events.ts'
import { present } from '../../contract/present.ts'
import type { ProviderSession, Turn } from '../../contract/provider.ts'
import type { ResolvedStartRequest, SandboxMode } from '../../contract/request.ts'
import type { TurnOutcome } from '../../contract/result.ts'
import { unreviewedAuto } from './auto.ts'
import type { Composition } from './composition.ts'
import type { Deployment } from './deployment.ts'
import { conversationOf } from './conversation.ts'
import { personAnswers } from './person.ts'

export interface SessionParts {
  readonly request: ResolvedStartRequest
  readonly deployment: Deployment
  readonly model: AgentModel
  readonly capabilities: SubagentCapabilities
  readonly composition: Composition
  readonly outputs: SessionOutputs
  readonly compileSchema: CompileSchema
  readonly sandbox: () => SandboxMode
  readonly policy: () => ApprovalPolicy
}

export class InProcessSession implements ProviderSession {
  readonly capabilities: SubagentCapabilities
  /** Our own id: the conversation is the log. */
  readonly nativeId: string
  readonly readsLetters = true
  readonly model: string
  readonly #parts: SessionParts

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.capabilities = parts.capabilities
    this.nativeId = parts.request.sessionId
    this.model = parts.model.ref
  }

  get usable(): boolean {
    return true
  }

  async prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome> {
    const { deployment, model, composition, outputs, compileSchema, sandbox, policy } = this.#parts
    const { tools, sections, context, inbox } = composition
    const { request } = turn
    using scope = new DisposableStack()
    // Text that is given while the conversation is read waits for the first step.
    inbox.open()
    scope.defer(() => inbox.close())
    // Rebuilt for each run and dropped with it: an idle session holds no message list.
    const history = await conversationOf(deployment.store, request.sessionId)
    const structured =
      request.outputSchema === undefined ? undefined : new StructuredOutput(request.outputSchema)
    if (structured !== undefined) scope.use(tools.add(structured.tool))
    const explicit = request.requested.permission ?? deployment.permission
    // Awaited here, since the scope ends with this function.
    return await runTurn({
      model: model.language,
      history,
      content,
      system: () => systemPrompt(sections, tools),
      sections: () => sections.names(),
      context: () => context.text(),
      tools,
      compileSchema,
      approvals: new Approvals({
        policy,
        answerers: [personAnswers(turn)],
        newId: () => deployment.newId(),
        record: (event) => void turn.emit(event),
      }),
      workspace: {
        cwd: request.cwd,
        roots: [request.cwd, ...request.additionalDirectories],
        sandbox,
        asksForWrites: explicit !== undefined && explicit !== 'allow',
        outputs,
      },
      inbox,
      letters: turn.letters,
      faults: faultReader(model, Math.random),
      ...present({ costOf: model.costOf }),
      signal: turn.signal,
      emit: (event) => turn.emit(event),
      drained: () => turn.drained(),
      newId: () => deployment.newId(),
      limits: present({ maxTurns: request.limits.maxTurns, maxTokens: request.limits.maxTokens }),
      ...(request.effort !== undefined && model.effortOptions !== undefined
        ? { settings: { providerOptions: model.effortOptions(request.effort) } }
        : {}),
      hooks: [
        unreviewedAuto(() => deployment.store.get(request.sessionId)?.registers.permissionPreset),
        ...(deployment.hooks ?? []),
      ],
      ...present({ structured }),
    })
  }

  async steer(content: readonly ContentBlock[]): Promise<void> {
    if (this.#parts.composition.inbox.steer(content)) return
    throw new SubagentError(
      'INVALID_REQUEST',
      'prompt',
      'No turn runs that could take the text. Send it as a prompt.',
      {
        field: 'content',
      },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.deployment.models.delete(this.#parts.request.sessionId)
    this.#parts.composition[Symbol.dispose]()
    await this.#parts.outputs[Symbol.asyncDispose]()
  }
}
