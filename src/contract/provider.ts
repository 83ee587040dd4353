/** The seam that every way to run an agent implements, and what the runtime lends it. */
import type { CapabilityId, SubagentCapabilities } from './capabilities.ts'
import type { SessionClient } from './client.ts'
import type { ContentBlock, PermissionOption, PermissionOutcome, ToolCallUpdate } from './content.ts'
import type { ProviderEvent, SetupEvent } from './events.ts'
import type { SessionId } from './ids.ts'
import type { Letter } from './letters.ts'
import type { AgentChoice, AgentOffer } from './offer.ts'
import type { PermissionPolicy, ResolvedStartRequest, SubagentStartRequest } from './request.ts'
import type { RunStatus, TurnOutcome } from './result.ts'
import type { StartOptions, SubagentRun } from './run.ts'

export interface SubagentProvider {
  readonly name: string
  /** What people are told of it, where that isn't its name. */
  readonly title?: string
  /** The promise that the gate holds requests against. */
  readonly capabilities: SubagentCapabilities
  /** Rows whose declared value is an upper bound until the handshake (law 1). */
  readonly negotiated: readonly CapabilityId[]
  /** Descriptive: used in wording only. */
  readonly inheritsParentContext: boolean
  /**
   * Names of tools as presets write them, such as `Read`, and its own for each. A preset's list is turned into its
   * own names, and refused where it holds any other; without a table it arrives as written.
   */
  readonly toolNames?: Readonly<Record<string, string>>
  /**
   * What may be promised before a session is open: of rows that are still to be negotiated only what the agent has
   * answered before, however long ago. Absent: `capabilities`.
   */
  advertised?(): SubagentCapabilities
  /** What its sessions let a person choose, as far as that is known while none is open: nothing is started for it. */
  offer?(): AgentOffer
  /**
   * What of a start this provider can't take although its rows say yes, such as one without a parent: throws a
   * `SubagentError` of phase `resolve`. Called after the gate and before anything happens, also by a dry run, so it
   * decides by what it is given and what it knows, at once and without a trace.
   */
  check?(request: ResolvedStartRequest): void
  /**
   * Sets the agent up while it is unpublished. Rejects with a `SubagentError` of phase `spawn`,
   * `initialize` or `session` and leaves nothing behind; the same on abort of `setup.signal`.
   */
  open(request: ResolvedStartRequest, setup: SetupScope): Promise<ProviderSession>
}

/** What the operator says of a provider, apart from what the provider says of itself. */
export interface ProviderSettings {
  /** Runs at once; absent = only the total counts. */
  readonly concurrency?: number
  /** The agent's configured policy; a child's call only narrows it (B4.4). */
  readonly permission?: PermissionPolicy
  /** The deployment confines this agent itself: an inherited sandbox override is not refused (law 11). */
  readonly sandbox?: 'provider-managed'
  /** Milliseconds that the agent has after a cancel before it is ended. */
  readonly cancelMs?: number
}

/** Lent to `open` and valid until the session is disposed. */
export interface SetupScope {
  readonly signal: AbortSignal
  /** Variables that every process of this session must get: lineage, so that depth crosses processes (B2.7). */
  readonly env: Readonly<Record<string, string>>
  readonly delegation: Delegation
  /** A person's choices among what the agent offers, made before it was there; refused where it doesn't offer them. */
  readonly choices?: readonly AgentChoice[]
  /** The person's client, where there is one that offers anything. */
  readonly client?: SessionClient | undefined
  /** A fact of the session outside of its turns. Before publish it is kept back, and dropped if `open` fails. */
  record(event: SetupEvent): void
  /**
   * The new session begins with that session's completed turns, shared by reference (B8). Before `open` resolves,
   * and only for a new session.
   */
  inherit(from: SessionId): void
}

/** An agent that is set up. Disposing it ends all that belongs to it and resolves when that is gone. */
export interface ProviderSession extends AsyncDisposable {
  /** After the handshake; never more than the provider declared. */
  readonly capabilities: SubagentCapabilities
  /** The agent's own session or thread id. */
  readonly nativeId?: string | undefined
  /** What it runs on, as a request would name it; a child that is taken up again goes on with it (B9.1). */
  readonly model?: string | undefined
  /** False once the agent can take no further prompt, as after the death of its process. */
  readonly usable: boolean
  /** Its turns read the letters of its children; an idle child of somebody's is woken by them. */
  readonly readsLetters?: true
  /** What it lets a person choose now. */
  readonly offer?: AgentOffer
  /** Chooses among what it offers; also while a turn runs. */
  choose?(choice: AgentChoice): Promise<void>
  /**
   * One turn. Resolves with how it ended, `cancelled` after `turn.signal` aborted; rejects only on a fault,
   * with a `SubagentError` of phase `prompt`.
   */
  prompt(content: readonly ContentBlock[], turn: Turn): Promise<TurnOutcome>
  /** Adds to the running turn; present only with the `steer` row. */
  steer?(content: readonly ContentBlock[]): Promise<void>
  /** Stops the work of a subagent that it announced, and of those below it, alone; also between two turns. */
  cancelSubagent?(childId: string): void
}

export interface PermissionQuestion {
  readonly toolCall: ToolCallUpdate
  readonly options: readonly PermissionOption[]
  /** Path below the asking session, when the agent is itself a gateway. */
  readonly path?: readonly string[]
  /** The agent asks for a subagent of its own, by its id for it. */
  readonly childId?: string
}

export interface Turn {
  readonly request: ResolvedStartRequest
  readonly signal: AbortSignal
  readonly delegation: Delegation
  /**
   * Appends to the log. `bytes` is the event's size on the wire, for back-pressure.
   * Returns false when the provider should stop reading the agent until `drained()`.
   */
  emit(event: ProviderEvent, bytes?: number): boolean
  drained(): Promise<void>
  /** Always settles: with `cancelled` once the turn is aborted. */
  requestPermission(question: PermissionQuestion): Promise<PermissionOutcome>
  readonly letters: TurnLetters
}

/** Reports and notices of children. What is read is in the log by then, and read by nobody else (B11.2). */
export interface TurnLetters {
  /** Those that wait, in the order in which they were posted. */
  read(): readonly Letter[]
  /** Background children are at work, or letters may wait: otherwise `next` has nothing to wait for. */
  expected(): boolean
  /**
   * Resolves with the next ones while background children are at work or letters wait; with undefined when neither,
   * or on abort.
   */
  next(signal: AbortSignal): Promise<readonly Letter[] | undefined>
}

/** A kept child, or one further down. */
export interface KeptAgent {
  readonly id: SessionId
  readonly parentId: SessionId
  readonly label?: string
  readonly provider: string
  /** `ready`: stored, and taken up by the next message. */
  readonly state: 'running' | 'idle' | 'ready'
  /** How its last run ended. */
  readonly lastStatus?: RunStatus
}

/** What a session may do with the kept agents below it; anyone else's are `UNAUTHORIZED` (B11.1). */
export interface KeptAgents {
  /** A follow-up, taken in order; one that can't be started comes back as a notice. */
  send(to: SessionId, content: readonly ContentBlock[]): void
  /** Cancels the open run and leaves what waits in the inbox. False when nothing runs. */
  interrupt(id: SessionId): boolean
  /** Oldest first. */
  list(): readonly KeptAgent[]
}

/** The same of one session, with what it says to its own parent. */
export interface DelegatedAgents extends KeptAgents {
  /** Own kept children that are at work in this process. */
  atWork(): number
  /** Tells the parent something, before the notice that the run has settled. */
  report(text: string): void
}

/** The only way up: starts children of one session. Made by the runtime. */
export interface Delegation {
  readonly agents: DelegatedAgents
  provider(
    name: string,
  ): Pick<SubagentProvider, 'name' | 'capabilities' | 'inheritsParentContext'> | undefined
  /** Live: a changed cap shows at the next call. */
  depth(operator?: Pick<DelegationOptions, 'operatorMaxDepth'>): {
    readonly current: number
    readonly cap?: number
  }
  start(request: Omit<SubagentStartRequest, 'parent'>, options?: DelegationOptions): Promise<SubagentRun>
}

export interface DelegationOptions extends Pick<StartOptions, 'signal' | 'toolCallId'> {
  /**
   * The operator's own number for the tool that delegates. Other than the request's `maxDepth` it stands in the host
   * setting's place, so it may exceed that; never the cap of a tree that has one (B2.4).
   */
  readonly operatorMaxDepth?: number
}
