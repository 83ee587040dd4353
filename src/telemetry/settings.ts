/** Reads from the environment whether spans are exported, and whether they hold content. Pure; loads nothing. */

export interface TelemetrySettings {
  /** Where spans go. */
  readonly url: string
  /** Prompts, answers, arguments and results of tools. */
  readonly content: boolean
  /** The library's own variable decides on the time of an export. */
  readonly timeoutSet: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

const given = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined

const isTrue = (env: Environment, name: string): boolean => given(env, name)?.toLowerCase() === 'true'

/** The variable for traces is taken as it is; the general one is a base (OTLP exporter specification). */
const urlIn = (env: Environment): string | undefined => {
  const own = given(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const base = given(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  return own ?? (base === undefined ? undefined : `${base.replace(/\/+$/u, '')}/v1/traces`)
}

/** Undefined: nothing is exported. */
export const telemetrySettings = (env: Environment): TelemetrySettings | undefined => {
  const url = urlIn(env)
  if (url === undefined || isTrue(env, 'OTEL_SDK_DISABLED')) return undefined
  if (given(env, 'OTEL_TRACES_EXPORTER') === 'none') return undefined
  return {
    url,
    content: isTrue(env, 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'),
    timeoutSet: ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'].some(
      (name) => given(env, name) !== undefined,
    ),
  }
}
