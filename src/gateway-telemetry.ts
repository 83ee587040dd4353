/** Turns telemetry on where the environment asks for it; nothing of it is loaded otherwise. */
import type { Logger } from './contract/logger.ts'
import { telemetrySettings } from './telemetry/settings.ts'
import type { Telemetry } from './telemetry/otlp.ts'
import { VERSION } from './version.ts'

export type { Telemetry } from './telemetry/otlp.ts'

/** What can't be set up is said, and harms nothing. */
export const openTelemetry = async (
  env: Readonly<Record<string, string | undefined>>,
  log: Logger,
): Promise<Telemetry | undefined> => {
  const settings = telemetrySettings(env)
  if (settings === undefined) return undefined
  try {
    const { otlpTelemetry } = await import('./telemetry/otlp.ts')
    return otlpTelemetry({ settings, env, version: VERSION, log })
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.name : 'UNKNOWN' }, 'telemetry could not be set up')
    return undefined
  }
}
