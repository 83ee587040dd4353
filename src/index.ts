/** Entry `subgate`: run a task on any agent from code. */
import type { ContentBlock } from './contract/content.ts'
import { text } from './contract/content.ts'
import type { SessionId } from './contract/ids.ts'
import { present } from './contract/present.ts'
import type { KeptAgents, ProviderSettings, SubagentProvider } from './contract/provider.ts'
import type { SubagentStartRequest } from './contract/request.ts'
import type { SubagentResult } from './contract/result.ts'
import type { StartOptions, SubagentRun, WatchedEvent, WatchOptions } from './contract/run.ts'
import { Gateway } from './gateway.ts'
import type { GatewayOptions } from './gateway.ts'

export type { CapabilityId, SubagentCapabilities, Support } from './contract/capabilities.ts'
export type { Client, ClientAnswer, ClientMethod, ClientOffer, PlacedCall } from './contract/client.ts'
export type {
  ContentBlock,
  McpServer,
  PermissionOption,
  PermissionOutcome,
  SessionUpdate,
} from './contract/content.ts'
export { SubagentError } from './contract/errors.ts'
export type { ErrorCode, ErrorDataByCode, ErrorJson, ErrorPhase } from './contract/errors.ts'
export type {
  LogEntry,
  Notice,
  PermissionRequested,
  PermissionResolved,
  RunSettled,
  RunStarted,
  SessionEvent,
  ToolFilter,
} from './contract/events.ts'
export type { PermissionId, RunId, SessionId } from './contract/ids.ts'
export type { JsonObject, JsonValue } from './contract/json.ts'
export type { Logger } from './contract/logger.ts'
export type { KeptAgents, ProviderSettings, SubagentProvider } from './contract/provider.ts'
export type {
  PermissionPolicy,
  Preset,
  PresetSource,
  RunLimits,
  SandboxMode,
  SessionOrigin,
  SubagentStartRequest,
} from './contract/request.ts'
export type { Denial, EndingCategory, RunStatus, SubagentResult, Usage } from './contract/result.ts'
export type { LifecycleEvent, StartOptions, SubagentRun, WatchedEvent, WatchOptions } from './contract/run.ts'
export { defineProvider } from './provider.ts'
export { memoryStore } from './sessions/memory-store.ts'
export type { Store } from './sessions/store.ts'
export type { FunctionTurn, ProviderDefinition, Task } from './provider.ts'

export type SubgateOptions = GatewayOptions

/** Text, or ACP content blocks. */
export type Prompt = string | readonly ContentBlock[]

/** All other fields of a start request, and the options of a start. */
export type RunOptions = Omit<SubagentStartRequest, 'provider' | 'prompt'> & StartOptions

export interface Subgate extends AsyncDisposable {
  /** Runs to the end. Rejects when the start is refused; every ending of a run is a value. */
  run(provider: string, prompt: Prompt, options?: RunOptions): Promise<SubagentResult>
  /** The run itself: its events as they come, answers to its questions, cancel, and its result. */
  start(provider: string, prompt: Prompt, options?: RunOptions): Promise<SubagentRun>
  watch(options?: WatchOptions): AsyncIterable<WatchedEvent>
  /** Ends a kept session. */
  close(sessionId: SessionId): Promise<void>
  /** Kept agents, as the user: messages in order, a stop, and which there are (docs/kept-agents.md). */
  readonly agents: KeptAgents
  readonly providers: ProviderList
}

export interface ProviderList {
  /** Disposing the answer removes the provider and leaves its runs alone. */
  add(provider: SubagentProvider, settings?: ProviderSettings, aliases?: readonly string[]): Disposable
  names(): readonly string[]
}

/** Reads the configuration, as the program does. Dispose it: that ends what still runs. */
export const createSubgate = async (options: SubgateOptions = {}): Promise<Subgate> => {
  const gateway = await Gateway.create(options)
  const { runtime } = gateway
  const start: Subgate['start'] = async (
    provider,
    prompt,
    { signal, answers, client, toolCallId, choices, chat, onWait, ...fields } = {},
  ) => {
    const content = typeof prompt === 'string' ? [text(prompt)] : prompt
    const request: SubagentStartRequest = { ...fields, provider, prompt: content }
    return runtime.start(
      request.parent === undefined ? await gateway.rootRequest(request) : request,
      present({ signal, answers, client, toolCallId, choices, chat, onWait }),
    )
  }
  return {
    start,
    run: async (provider, prompt, runOptions) => (await start(provider, prompt, runOptions)).result,
    watch: (watchOptions) => runtime.watch(watchOptions),
    close: (sessionId) => runtime.close(sessionId),
    agents: runtime.agents,
    providers: {
      add: (provider, settings, aliases) => runtime.providers.add(provider, settings, aliases),
      names: () => runtime.providers.names(),
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}
