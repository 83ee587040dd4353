/** The checks of a start up to the gate and the depth (B1.3): each rejects with its own code, and nothing happens. */
import type { GateInput } from '../capabilities/catalog.ts'
import { gate } from '../capabilities/gate.ts'
import type { SubagentCapabilities } from '../contract/capabilities.ts'
import { SubagentError } from '../contract/errors.ts'
import { runId, sessionId } from '../contract/ids.ts'
import type { SessionId } from '../contract/ids.ts'
import { present } from '../contract/present.ts'
import { readTrace } from '../contract/trace.ts'
import type { SubagentProvider } from '../contract/provider.ts'
import type { ProviderSession } from '../contract/provider.ts'
import type { ResolvedStartRequest, SubagentStartRequest } from '../contract/request.ts'
import type { SessionHeader } from '../sessions/store.ts'
import type { Captured, CapturedParent } from './capture.ts'
import { deriveDepth, lowest } from './depth.ts'
import type { ParentDepth } from './depth.ts'
import { inheritLimits } from './inherit-limits.ts'
import type { LiveSession } from './live-session.ts'
import type { Surroundings } from './options.ts'
import { checkSwitch, effectivePolicy, effectiveSandbox, narrowerSandbox } from './policy.ts'
import { withOwnTools } from './preset-tools.ts'
import { checkByProvider } from './provider-check.ts'
import type { ProviderRegistry, Registered } from './registry.ts'
import { checkDirectory, resolvePreset, resolveSession, restorePreset } from './resolve.ts'
import type { ResolvedSession } from './resolve.ts'
import { holdToStanding, standingControls } from './standing.ts'

/** A start that may be opened. */
export interface Admitted {
  readonly registered: Registered
  readonly request: ResolvedStartRequest
  readonly resolved: ResolvedSession
  /** The agent that takes the follow-up, if it still can by then. */
  readonly standing: ProviderSession | undefined
  readonly parent: CapturedParent | undefined
  readonly gateInput: GateInput
}

export interface House {
  readonly providers: ProviderRegistry
  readonly sessions: ReadonlyMap<SessionId, LiveSession>
  readonly surroundings: Surroundings
}

export const admit = async (
  request: SubagentStartRequest,
  captured: Captured,
  { providers, sessions, surroundings }: House,
  operatorMaxDepth?: number,
): Promise<Admitted> => {
  const { store, presets, newId } = surroundings
  const host = surroundings.settings()
  const registered = providers.get(request.provider)
  const { provider, settings } = registered
  if (captured.unknown !== undefined) throw unknownParent(captured.unknown)
  const { parent } = captured
  // A session that a dead process left open can be taken up once its run has been settled.
  if (request.session !== undefined && request.session.from !== 'new') await surroundings.recovered()

  const resolved = resolveSession(request, provider.name, parent, sessions, store)
  const { stored, origin } = resolved
  const resumed = origin.from === 'resume' ? stored : undefined

  const standing = resolved.live?.agent?.usable === true ? resolved.live.agent : undefined
  const opened = standing && resolved.live?.opened
  // An agent that is set up anew goes on with the model of the one before it.
  const reopened = origin.from === 'resume' ? resolved.live?.opened : undefined
  const cwd = request.cwd ?? opened?.cwd ?? stored?.header.cwd ?? parent?.cwd ?? host.cwd
  checkDirectory(cwd, 'cwd')
  const additionalDirectories = request.additionalDirectories ?? []
  for (const [index, path] of additionalDirectories.entries()) {
    checkDirectory(path, `additionalDirectories.${index}`)
  }
  // A copy is composed like what it is a copy of, unless something else is asked for.
  const composed = origin.from === 'fork' && request.preset !== undefined ? undefined : stored
  const descriptor = composed?.registers.descriptor
  const stands = resolved.live?.agent?.usable === true
  const found =
    composed === undefined || stands
      ? await resolvePreset(request.preset, cwd, presets)
      : await restorePreset(composed, cwd, presets)

  // A copy stays under what it was copied from.
  const inheritedSandbox =
    resumed === undefined
      ? narrowerSandbox(parent?.sandbox, stored?.registers.sandbox)
      : resumed.registers.sandbox
  const gateInput: GateInput = present({
    request,
    preset: found,
    descriptor,
    inheritedSandbox,
    sandboxManaged: settings.sandbox === 'provider-managed',
    configuredPermission: request.permission === undefined ? settings.permission : undefined,
    operatorMaxDepth,
  })
  const refusal = gate(provider, gateInput, () => alternatives(providers, parent))
  if (refusal !== undefined) throw refusal
  const preset = withOwnTools(found, provider)

  const isChild = parent !== undefined || resumed?.header.parentId !== undefined
  if (resumed?.header.parentId !== undefined) checkSwitch(request.sandbox, inheritedSandbox)
  const sandbox = effectiveSandbox(request.sandbox, inheritedSandbox, preset?.sandbox)
  const permission = effectivePolicy(request.permission, settings.permission ?? host.permission, isChild)
  const above = resumed === undefined ? parent : parentOf(resumed.header)
  const derived = deriveDepth(
    present({
      parent: above,
      stored: lowest([resumed?.header.maxDepth, resumed?.registers.maxDepth, opened?.maxDepth]),
      requested: request.maxDepth,
      operator: operatorMaxDepth,
      host: host.maxDepth,
    }),
  )
  if (opened !== undefined) holdToStanding(request, opened)

  const id = resumed?.header.id ?? sessionId(`ses_${newId()}`)
  const { prompt, keep, label, model, effort, outputSchema, limits, meta, maxDepth } = request
  const asked = {
    preset: request.preset,
    model,
    effort,
    sandbox: request.sandbox,
    permission: request.permission,
  }
  const admitted: ResolvedStartRequest = present({
    runId: runId(`run_${newId()}`),
    sessionId: id,
    rootSessionId: resumed?.header.rootId ?? parent?.rootId ?? id,
    parentSessionId: resumed === undefined ? parent?.sessionId : resumed.header.parentId,
    ...derived,
    origin,
    prompt,
    preset,
    persona: descriptor?.persona,
    toolFilter: descriptor?.toolFilter,
    label,
    cwd,
    additionalDirectories,
    // What it was created with, where nothing else is asked for (B9.1).
    model: model ?? preset?.model ?? reopened?.model ?? descriptor?.model,
    effort,
    sandbox,
    permission,
    // An agent that is a gateway itself holds its own tree to the operator's number too.
    requested: present({
      ...asked,
      maxDepth: lowest([maxDepth, operatorMaxDepth]),
      keep,
      label,
      outputSchema,
      limits,
    }),
    outputSchema,
    mcpServers: request.mcpServers ?? [],
    limits: inheritLimits(limits ?? {}, parent?.limits, host.limits, provider.capabilities),
    // A follow-up on a kept session leaves it kept.
    keep: keep ?? resolved.live?.agent !== undefined,
    trace: readTrace(meta),
    meta,
    ...(opened && standingControls(opened)),
  })
  checkByProvider(provider, admitted)
  return { registered, resolved, standing, parent, gateInput, request: admitted }
}

/** The providers that a refusal may name: one that shares its parent's context is none for a root. */
const alternatives = (
  providers: ProviderRegistry,
  parent: CapturedParent | undefined,
): readonly SubagentProvider[] =>
  providers
    .all()
    .map(({ provider }) => provider)
    .filter(({ inheritsParentContext }) => parent !== undefined || !inheritsParentContext)

/** What the handshake revealed is held against the same request; nothing is published yet (law 1). */
export const secondGate = (
  { registered: { provider }, gateInput, parent }: Admitted,
  capabilities: SubagentCapabilities,
  providers: ProviderRegistry,
): void => {
  const { name, title } = provider
  const refusal = gate({ ...present({ name, title }), capabilities }, gateInput, () =>
    alternatives(providers, parent),
  )
  if (refusal !== undefined) throw refusal
}

/** A stored child's place: its recorded depth and cap stand for its parent's. */
const parentOf = ({ parentId, depth, maxDepth }: SessionHeader): ParentDepth | undefined =>
  parentId === undefined ? undefined : present({ depth: depth - 1, maxDepth })

const unknownParent = (id: SessionId): SubagentError =>
  new SubagentError('SESSION_NOT_FOUND', 'resolve', `The parent session ${id} is unknown here.`, {
    sessionId: id,
  })
