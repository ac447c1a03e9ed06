import {
  type Attributes,
  context,
  INVALID_SPAN_CONTEXT,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

export { type Span, SpanKind } from '@opentelemetry/api';

const tracer = trace.getTracer('jobline');
/** The span of everything while this process is not traced. */
const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
let isTraced = false;

/** Before the first call, no span is created. */
export function createSpans(): void {
  isTraced = true;
}

interface SpanOptions {
  kind?: SpanKind;
  /** A W3C `traceparent`; null: the span starts a trace; absent: the active span is the parent, if there is one. */
  parent?: string | null;
  attributes?: Attributes;
}

/** Runs `work` as a span. An exception ends the span as failed. */
export async function traced<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  if (!isTraced) return work(NO_SPAN);
  const span = startSpan(name, options);
  try {
    return await activate(span, () => work(span));
  } catch (error) {
    failSpan(span, errorCodeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The caller ends the span. */
export function startSpan(name: string, { parent, ...options }: SpanOptions): Span {
  if (!isTraced) return NO_SPAN;
  if (parent === undefined) return tracer.startSpan(name, options);
  return tracer.startSpan(name, options, propagation.extract(ROOT_CONTEXT, { traceparent: parent ?? undefined }));
}

/** Makes it the active span while `work` runs, its promises included. */
export function activate<T>(span: Span, work: () => T): T {
  if (!isTraced) return work();
  return context.with(trace.setSpan(context.active(), span), work);
}

/** Marks the span as failed by a code, never by a message, which may quote a tenant's data. */
export function failSpan(span: Span, code: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** Absent: there is no active span. */
export function activeSpan(): Span | undefined {
  return trace.getActiveSpan();
}

/** The active span in the form of the header `traceparent`; null: there is no active span. */
export function activeTraceparent(): string | null {
  if (!isTraced) return null;
  const headers: { traceparent?: string } = {};
  propagation.inject(context.active(), headers);
  return headers.traceparent ?? null;
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's header, if it is a `traceparent` of a supported version. */
export function readTraceparent(text: string | readonly string[] | undefined): string | null {
  return typeof text === 'string' && TRACEPARENT.test(text) ? text : null;
}

/**
 * The trace of a caller, with a sampling decision of our own: otherwise callers decide how many spans are stored. The decision is
 * the one of a new trace, because callers choose their trace ids too.
 */
export function resampled(traceparent: string | null): string | null {
  if (traceparent === null || !isTraced) return traceparent;
  const { traceFlags } = tracer.startSpan('sampling', { root: true }).spanContext();
  return `${traceparent.slice(0, -2)}${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;
}

/** The code of an error for `failSpan`: its own code, else its name. */
export function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
