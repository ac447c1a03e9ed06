import type { Attributes } from '@opentelemetry/api';

/** The options of a new span. */
export interface SpanOptions {
  name: string;
  kind: 'server' | 'client' | 'consumer' | 'internal';
  /** A W3C `traceparent`; null: the span starts a trace; absent: the active span is the parent, if there is one. */
  parent?: string | null;
  attributes?: Attributes;
}

/** A unit of work, as operators see it in a trace. */
export interface Span {
  /** Null while the process is not traced. */
  readonly traceId: string | null;
  /** Makes it the active span while `work` runs, its promises included. */
  run<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the span as failed by a code, never by a message, which may quote a tenant's data. */
  fail(code: string): void;
  end(): void;
}

export interface Tracing {
  /** False: spans cost nothing and are sent nowhere. */
  readonly isOn: boolean;
  start(options: SpanOptions): Span;
  /** The active span in the form of the header `traceparent`; null: there is no active span. */
  traceparent(): string | null;
  /** The trace of the active span; null: there is no active span. */
  traceId(): string | null;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

const NO_SPAN: Span = { traceId: null, run: (work) => work(), rename() {}, set() {}, fail() {}, end() {} };

/** For a process that is not traced. */
export const noTracing: Tracing = {
  isOn: false,
  start: () => NO_SPAN,
  traceparent: () => null,
  traceId: () => null,
  stop: async () => undefined,
};

/** Runs `work` as a span. An exception ends the span as failed. */
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

/** Sets the tracing whose ids appear in the lines of the log from now on. */
export function setProcessTracing(tracing: Tracing): void {
  current = tracing;
}

/** The active trace, for lines of the log; null: none is active. */
export function activeTraceId(): string | null {
  return current.traceId();
}

/** The caller's header, if it is a `traceparent` of a supported version. */
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
