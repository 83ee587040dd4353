/** W3C trace context: what links the spans of several processes to one trace, read from and put into what carries it. Pure. */

/** The keys that ACP reserves in `_meta`. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
  readonly baggage?: string
}

/** What W3C lets a receiver cut off. */
const MOST_STATE = 512
const MOST_BAGGAGE = 8192

const TRACEPARENT =
  /^(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/u
const PRINTABLE = /^[ -~]*$/u

export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
}

/** Undefined for what W3C calls invalid: a new trace begins then. */
export const parseTraceparent = (value: unknown): SpanLink | undefined => {
  const { version, trace, span, flags, more } =
    (typeof value === 'string' ? TRACEPARENT.exec(value) : null)?.groups ?? {}
  if (version === undefined || trace === undefined || span === undefined || flags === undefined)
    return undefined
  // Of a later version only the parts of the first are read.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/u.test(trace) || /^0+$/u.test(span)) return undefined
  return { traceId: trace, spanId: span, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const traceparentOf = ({ traceId, spanId, sampled }: SpanLink): string =>
  `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`

const header = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most && PRINTABLE.test(value)
    ? value
    : undefined

/** The trace that a carrier such as `_meta` names; without a valid `traceparent` the rest means nothing. */
export const readTrace = (
  carrier: Readonly<Record<string, unknown>> | undefined,
): TraceContext | undefined => {
  const { traceparent, tracestate, baggage } = carrier ?? {}
  if (typeof traceparent !== 'string' || parseTraceparent(traceparent) === undefined) return undefined
  const state = header(tracestate, MOST_STATE)
  const bags = header(baggage, MOST_BAGGAGE)
  return {
    traceparent,
    ...(state !== undefined && { tracestate: state }),
    ...(bags !== undefined && { baggage: bags }),
  }
}

/** As OpenTelemetry names the variables. */
export const readTraceEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): TraceContext | undefined =>
  readTrace({ traceparent: env['TRACEPARENT'], tracestate: env['TRACESTATE'], baggage: env['BAGGAGE'] })

/** For an agent's process; baggage goes with prompts alone, as any program below would see it there. */
export const traceEnvironment = (trace: TraceContext | undefined): Record<string, string> => ({
  ...(trace !== undefined && { TRACEPARENT: trace.traceparent }),
  ...(trace?.tracestate !== undefined && { TRACESTATE: trace.tracestate }),
})
