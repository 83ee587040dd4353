/** What the author of a provider brings: how to make it, and how to bring about each situation. */
import type { ContentBlock } from '../contract/content.ts'
import type { LogEntry } from '../contract/events.ts'
import type { ProviderSettings, SubagentProvider } from '../contract/provider.ts'
import type { Preset, SubagentStartRequest } from '../contract/request.ts'
import type { SubagentResult } from '../contract/result.ts'
import type { Store } from '../sessions/store.ts'
import type { CueName } from './manifest.ts'

/** Fresh directories of one check; removed after it. */
export interface Place {
  readonly workspace: string
  /** A second directory, outside of the workspace. */
  readonly elsewhere: string
  /** The file that an agent writes when nothing holds it back; it lies in the workspace. */
  readonly marker: string
}

/** What a cue's predicate may look at. */
export interface Evidence {
  readonly result: SubagentResult
  /** From `run/started` to `run/settled`. */
  readonly events: readonly LogEntry[]
  readonly place: Place
  /** Of a `resume` cue: whether the agent was still there, or had been closed. */
  readonly stage: 'only' | 'warm' | 'cold'
}

export type CueRequest = Omit<SubagentStartRequest, 'provider' | 'cwd' | 'session' | 'keep' | 'preset'>

export interface Cue {
  /** The prompt, and for a capability the control itself. */
  request(place: Place): CueRequest
  /** For `persona` and `toolFilter`: the preset that the request names. */
  readonly preset?: Preset
  /** For `resume` and `fork`: what is said before. */
  before?(place: Place): CueRequest
  /** For `steer`: what is given in mid-turn. */
  readonly steer?: readonly ContentBlock[]
  /** For `sequence`: what the agent says, update by update. */
  readonly says?: readonly string[]
  /** True only when the control was honoured. Not needed where the proof is an effect (see the manifest). */
  proves?(evidence: Evidence): boolean
}

/** A provider that is made for one check. */
export interface Subject extends AsyncDisposable {
  readonly provider: SubagentProvider
  readonly settings?: ProviderSettings
  /** What of its agents is still there, by name: sessions, sockets, remote jobs. Processes are seen without it. */
  leftovers?(): readonly string[] | Promise<readonly string[]>
}

export interface ProviderFixture {
  /**
   * Called for each check anew; `cue` tells a provider that can't be led by its prompt what will be asked. An agent
   * whose conversation is the session's log reads it from `store`.
   */
  create(place: Place, cue: CueName, store: Store): Subject | Promise<Subject>
  readonly cues: { readonly [Name in CueName]?: Cue }
  /** How long a turn may take to answer a text that was given in mid-turn; 10 s when absent. */
  readonly patienceMs?: number
  /** Known deviations from a `should`: why, by id. One that no longer holds is a failure. */
  readonly deviations?: Readonly<Record<string, string>>
}
