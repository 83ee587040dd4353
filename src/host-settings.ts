/** Turns configuration into the runtime's host settings. Pure. */
import type { Config } from './config/config.ts'
import { present } from './contract/present.ts'
import type { PermissionPolicy } from './contract/request.ts'
import { DEFAULT_SETTINGS } from './runtime/options.ts'
import type { HostSettings } from './runtime/options.ts'

export interface HostChoices {
  /** The face's default policy, where configuration names none. */
  readonly permission?: PermissionPolicy | undefined
  readonly settings?: Partial<HostSettings> | undefined
}

export const hostSettings = (
  config: Config,
  cwd: string,
  { permission, settings }: HostChoices,
): HostSettings => ({
  ...DEFAULT_SETTINGS,
  cwd,
  maxDepth: config.subagent.maxDepth,
  limits: config.limits,
  concurrency: config.concurrency,
  permissionTimeoutMs: config.permissionTimeoutMs,
  ...present({ permission }),
  ...settings,
})
