/** What the composition root hands to a runtime. */
import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../contract/json.ts'
import { silentLogger } from '../contract/logger.ts'
import type { Logger } from '../contract/logger.ts'
import type { RunObserver } from '../contract/observer.ts'
import type { ProviderSettings, SubagentProvider } from '../contract/provider.ts'
import type { PermissionPolicy, PresetSource } from '../contract/request.ts'
import type { StartOptions } from '../contract/run.ts'
import type { LineageClaims } from '../lineage/token.ts'
import type { Store, Together } from '../sessions/store.ts'
import { checkCap } from './depth.ts'
import type { HostCap } from './depth.ts'

/** Defaults of the host: applied where a provider can, never a reason to refuse (design.md §2). */
export interface HostSettings {
  readonly cwd: string
  /** Cap for trees that have none (B2.4). */
  readonly maxDepth: HostCap
  /** Milliseconds; 0 = none. */
  readonly limits: { readonly startupMs: number; readonly idleMs: number; readonly totalMs: number }
  readonly concurrency: { readonly total: number; readonly queue: number }
  readonly permission: PermissionPolicy
  /** Milliseconds until policy answers an open question; 0 = never. */
  readonly permissionTimeoutMs: number
  /** Milliseconds between a cancel and the end of an agent that ignores it. */
  readonly cancelMs: number
}

export const DEFAULT_SETTINGS: Omit<HostSettings, 'cwd'> = {
  maxDepth: 1,
  limits: { startupMs: 60_000, idleMs: 600_000, totalMs: 0 },
  concurrency: { total: 8, queue: 64 },
  permission: 'ask',
  permissionTimeoutMs: 0,
  cancelMs: 3_000,
}

export interface LineagePort {
  /** The run in another process that this process works for, already verified. */
  readonly ancestor?: LineageClaims
  sign(claims: LineageClaims): string
}

export interface RegisteredProvider {
  readonly provider: SubagentProvider
  readonly settings?: ProviderSettings
  readonly aliases?: readonly string[]
}

/** What the runtime's own parts may say of a start, beside what a caller may. */
export interface InnerStartOptions extends StartOptions {
  /** Written in the transaction of `run/started`. */
  readonly together?: Together
  /**
   * What the caller was asked for, where the request is what that means just now, as with `last`: an idempotency key
   * belongs to this.
   */
  readonly asked?: JsonObject
  /** The number of the operator's tool that starts this child (B2.4). */
  readonly operatorMaxDepth?: number
}

export interface RuntimeOptions {
  readonly store: Store
  readonly settings: HostSettings
  readonly providers?: readonly RegisteredProvider[]
  readonly presets?: PresetSource
  readonly lineage?: LineagePort
  readonly log?: Logger
  readonly observer?: RunObserver
  /** Resolves once the runs that dead processes left open have been settled. */
  readonly recovered?: () => Promise<unknown>
  /** Clock and randomness, so that a test can hold them. */
  readonly now?: () => number
  readonly newId?: () => string
}

/** What the runtime's parts share: resolved options. */
export interface Surroundings {
  readonly store: Store
  readonly log: Logger
  readonly presets: PresetSource | undefined
  readonly lineage: LineagePort | undefined
  readonly settings: () => HostSettings
  readonly recovered: () => Promise<unknown>
  readonly now: () => number
  readonly newId: () => string
}

const randomId = (): string => randomUUID().replaceAll('-', '').slice(0, 20)

export const surroundingsOf = (options: RuntimeOptions, settings: () => HostSettings): Surroundings => ({
  store: options.store,
  log: options.log ?? silentLogger,
  presets: options.presets,
  lineage: options.lineage,
  settings,
  recovered: options.recovered ?? (() => Promise.resolve()),
  now: options.now ?? Date.now,
  newId: options.newId ?? randomId,
})

/** A number that no request may give, code may not set either (B2.2). */
export const checkedSettings = (settings: HostSettings): HostSettings => {
  if (settings.maxDepth !== 'unbounded') checkCap(settings.maxDepth, 'maxDepth')
  return settings
}
