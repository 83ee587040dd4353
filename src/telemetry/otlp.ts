/** Sends spans to an OTLP collector over HTTP; a dead one is said once, and never waited for longer than the bound. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../contract/logger.ts'
import type { RunObserver } from '../contract/observer.ts'
import { readTraceEnvironment } from '../contract/trace.ts'
import { RunTracer } from './run-tracer.ts'
import type { TelemetrySettings } from './settings.ts'

/** For the last export, and for each one before unless the environment says otherwise. */
const FLUSH_MS = 2_000

export interface Telemetry extends AsyncDisposable {
  readonly observer: RunObserver
}

export interface OtlpOptions {
  readonly settings: TelemetrySettings
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly log: Logger
}

/** Headers, certificates and compression stand in variables that the library reads by itself. */
export const otlpTelemetry = ({ settings, env, version, log }: OtlpOptions): Telemetry => {
  const { url, content, timeoutSet } = settings
  let told = false
  const tell = (error: unknown): void => {
    if (told) return
    told = true
    log.warn({ reason: reasonOf(error) }, 'spans could not be sent to the collector; runs are not affected')
  }
  const exporter = new OTLPTraceExporter({ url, ...(!timeoutSet && { timeoutMillis: FLUSH_MS }) })
  const processor = new BatchSpanProcessor({ exporter: telling(exporter, tell) })
  const provider = new TracerProvider({
    spanProcessors: [processor],
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'subgate', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
  })
  const tracer = provider.getTracer('subgate', version)
  return {
    observer: new RunTracer({ tracer, content, inherited: readTraceEnvironment(env) }),
    [Symbol.asyncDispose]: async () => {
      const late = Promise.withResolvers<'late'>()
      const timer = setTimeout(() => late.resolve('late'), FLUSH_MS)
      const flushed = provider.shutdown().catch(tell)
      if ((await Promise.race([flushed, late.promise])) === 'late') tell({ code: 'TIMEOUT' })
      clearTimeout(timer)
    },
  }
}

const telling = (exporter: SpanExporter, tell: (error: unknown) => void): SpanExporter => ({
  export: (spans: ReadableSpan[], done) =>
    exporter.export(spans, (result) => {
      if (result.error !== undefined) tell(result.error)
      done(result)
    }),
  shutdown: () => exporter.shutdown(),
})

/** Its code alone: a message may hold what the collector answered. */
const reasonOf = (error: unknown): string | number => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' || typeof code === 'number' ? code : 'UNKNOWN'
}
