/** What configuration holds: as one file may say it, and with all layers merged and defaults filled in. */
import type { McpServer } from '../contract/content.ts'
import type { PermissionPolicy, SandboxMode } from '../contract/request.ts'

export interface GraceConfig {
  readonly eofMs?: number
  readonly termMs?: number
  readonly cancelMs?: number
}

export interface ProviderConfig {
  /** Program and arguments. At most one of `command` and `module`; neither for an agent known by name. */
  readonly command?: readonly string[]
  readonly module?: string
  /** A value, or `true`: passed on from Subgate's own environment. */
  readonly env?: Readonly<Record<string, string | true>>
  readonly permission?: PermissionPolicy
  /** The agent is known to ask before it acts. */
  readonly asks?: boolean
  readonly sandbox?: 'provider-managed'
  /** The ACP file methods that this agent gets, confined to the session's roots. */
  readonly fs?: { readonly read?: boolean; readonly write?: boolean }
  readonly terminal?: boolean
  readonly concurrency?: number
  /** One process is kept after a run and shared by the next ones. */
  readonly warm?: boolean
  readonly graces?: GraceConfig
}

export interface ToolConfig {
  readonly provider: string
  readonly maxDepth?: number | 'provider-managed'
  readonly includeRuntimeContext?: boolean
}

/** US dollars a million tokens. */
export interface PriceConfig {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number
}

export interface Config {
  readonly defaultProvider?: string
  readonly model?: string
  readonly sandbox?: SandboxMode
  readonly permission?: PermissionPolicy
  /** Milliseconds; 0 = none. */
  readonly permissionTimeoutMs: number
  /** Milliseconds; 0 = none. */
  readonly limits: { readonly startupMs: number; readonly idleMs: number; readonly totalMs: number }
  readonly concurrency: { readonly total: number; readonly queue: number }
  readonly subagent: { readonly maxDepth: number }
  /** Days that a stored session is kept unused; 0 = for ever. */
  readonly retentionDays: number
  readonly mcpServers: readonly McpServer[]
  /** By `provider/model`. */
  readonly prices?: Readonly<Record<string, PriceConfig>>
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly tools: Readonly<Record<string, ToolConfig>>
}

/** One file. Only what it says; `$schema` is for editors. */
export interface PartialConfig {
  readonly $schema?: string
  readonly defaultProvider?: string
  readonly model?: string
  readonly sandbox?: SandboxMode
  readonly permission?: PermissionPolicy
  readonly permissionTimeoutMs?: number
  readonly limits?: Partial<Config['limits']>
  readonly concurrency?: Partial<Config['concurrency']>
  readonly subagent?: Partial<Config['subagent']>
  readonly retentionDays?: number
  readonly mcpServers?: readonly McpServer[]
  readonly prices?: Readonly<Record<string, PriceConfig>>
  readonly providers?: Readonly<Record<string, ProviderConfig>>
  readonly tools?: Readonly<Record<string, Partial<ToolConfig>>>
}

export type LayerName = 'user' | 'project' | 'system'

/**
 * `narrowed`: the file was read, and something in it doesn't count (untrusted, or held by the system layer).
 * `invalid`: something in it is wrong, so that nothing of it counts.
 */
export type LayerState = 'used' | 'absent' | 'narrowed' | 'invalid'

export interface LayerFile {
  readonly layer: LayerName
  readonly file: string
  readonly value: PartialConfig
}

/** A key of an untrusted project that was left out. Never holds its value. */
export interface WithheldKey {
  readonly file: string
  readonly key: string
  readonly reason: string
}

export interface LoadedConfig {
  readonly config: Config
  readonly layers: readonly {
    readonly layer: LayerName
    readonly file: string
    readonly state: LayerState
  }[]
  /** Dotted key → the layer that its value comes from. */
  readonly origins: Readonly<Record<string, 'default' | LayerName>>
  readonly withheld: readonly WithheldKey[]
  /** The project's file, where there is one, and whether all of it counts. */
  readonly project?: { readonly file: string; readonly trusted: boolean }
  /** What the system file says: the bound that flags and requests are held against. */
  readonly system: PartialConfig
}
