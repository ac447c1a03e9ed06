import type { Attributes } from '@opentelemetry/api';

/** Where a piece of work stands in a trace. */
export interface SpanOptions {
  name: string;
  kind: 'server' | 'client' | 'consumer' | 'internal';
  /** A `traceparent` of W3C's; null: it begins a trace; absent: the active span, if there is one. */
  parent?: string | null;
  attributes?: Attributes;
}

/** A piece of work, as it is shown to operators. */
export interface Span {
  /** Null while nothing is traced. */
  readonly traceId: string | null;
  /** Makes it the active span for as long as `work` takes, its promises included. */
  run<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks it as failed: by a code, never a message, which may quote what a tenant sent. */
  fail(code: string): void;
  end(): void;
}

export interface Tracing {
  /** False: spans cost nothing, and nobody sees them. */
  readonly isOn: boolean;
  start(options: SpanOptions): Span;
  /** The active span, as the header `traceparent` has it; null: there is none. */
  traceparent(): string | null;
  /** The trace of the active span; null: there is none. */
  traceId(): string | null;
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}

const NO_SPAN: Span = { traceId: null, run: (work) => work(), rename() {}, set() {}, fail() {}, end() {} };

/** For a process that nobody traces. */
export const noTracing: Tracing = {
  isOn: false,
  start: () => NO_SPAN,
  traceparent: () => null,
  traceId: () => null,
  stop: async () => undefined,
};

/** Runs `work` as a span. What it throws ends the span as failed. */
export async function traced<T>(
  tracing: Tracing,
  options: () => SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  if (!tracing.isOn) return work(NO_SPAN);
  const span = tracing.start(options());
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(codeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The tracing of this process. */
let current = noTracing;

/** From now on, lines of the log name the traces of this tracing. */
export function setProcessTracing(tracing: Tracing): void {
  current = tracing;
}

/** The trace that the caller is in; null: none. For lines of the log. */
export function activeTraceId(): string | null {
  return current.traceId();
}

/** What a caller sent, if it is a `traceparent` of the version that we know. */
export function readTraceparent(text: string | readonly string[] | undefined): string | null {
  return typeof text === 'string' && parseTraceparent(text) ? text : null;
}

/** The parts of a `traceparent`. */
export interface Traceparent {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

export function parseTraceparent(text: string): Traceparent | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
