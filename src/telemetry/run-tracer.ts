/** Traces the runs of a runtime: each below its parent's tool call or run, or in the trace that came from outside. */
import { ROOT_CONTEXT, SpanKind, TraceFlags, createTraceState, trace } from '@opentelemetry/api'
import type { Context, SpanContext, Tracer } from '@opentelemetry/api'
import type { SessionId } from '../contract/ids.ts'
import type { BegunRun, ObservedRun, RunObserver } from '../contract/observer.ts'
import { parseTraceparent, traceparentOf } from '../contract/trace.ts'
import type { TraceContext } from '../contract/trace.ts'
import { runWords } from './conventions.ts'
import { RunSpans } from './run-spans.ts'
import type { Begin } from './run-spans.ts'

export interface RunTracerOptions {
  readonly tracer: Tracer
  readonly content: boolean
  /** What this process was told of the trace that it works in. */
  readonly inherited: TraceContext | undefined
}

export class RunTracer implements RunObserver {
  readonly #options: RunTracerOptions
  readonly #open = new Map<SessionId, RunSpans>()

  constructor(options: RunTracerOptions) {
    this.#options = options
  }

  begin(begun: BegunRun): ObservedRun {
    const { request, at } = begun
    const { content } = this.#options
    const { id, baggage, context: parent } = this.#parentOf(begun)
    const { span, context } = this.#begin(SpanKind.CLIENT)(runWords(begun, content), at, parent)
    const spans = new RunSpans({
      span,
      context,
      content,
      trace: traceOf(span.spanContext(), baggage),
      begin: this.#begin(SpanKind.INTERNAL),
      over: () => {
        if (this.#open.get(id) === spans) this.#open.delete(id)
      },
    })
    this.#open.set(request.sessionId, spans)
    return spans
  }

  #begin(kind: SpanKind): Begin {
    return ({ name, attributes }, startTime, parent) => {
      const { tracer } = this.#options
      const span = tracer.startSpan(name, { kind, startTime, attributes: { ...attributes } }, parent)
      return { span, context: trace.setSpan(parent, span) }
    }
  }

  /** What the request names comes first, then the delegation, then the process's own place. */
  #parentOf({ request, toolCallId }: BegunRun): { id: SessionId; context: Context; baggage?: string } {
    const { sessionId: id, parentSessionId } = request
    const parent = parentSessionId === undefined ? undefined : this.#open.get(parentSessionId)
    if (request.trace === undefined && parent !== undefined) {
      const { baggage } = parent.trace
      return { id, context: parent.below(toolCallId), ...(baggage !== undefined && { baggage }) }
    }
    const outside = request.trace ?? this.#options.inherited
    const link = outside && remote(outside)
    if (outside === undefined || link === undefined) return { id, context: ROOT_CONTEXT }
    const { baggage } = outside
    return {
      id,
      context: trace.setSpanContext(ROOT_CONTEXT, link),
      ...(baggage !== undefined && { baggage }),
    }
  }
}

const remote = ({ traceparent, tracestate }: TraceContext): SpanContext | undefined => {
  const link = parseTraceparent(traceparent)
  if (link === undefined) return undefined
  return {
    traceId: link.traceId,
    spanId: link.spanId,
    traceFlags: link.sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  }
}

const traceOf = (span: SpanContext, baggage: string | undefined): TraceContext => {
  const { traceId, spanId, traceFlags, traceState } = span
  const tracestate = traceState?.serialize()
  return {
    traceparent: traceparentOf({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }),
    ...(tracestate !== undefined && tracestate !== '' && { tracestate }),
    ...(baggage !== undefined && { baggage }),
  }
}
