import {
  type Attributes,
  type Context,
  context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from './logger.js';

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
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}

const NO_SPAN: Span = { traceId: null, run: (work) => work(), rename() {}, set() {}, fail() {}, end() {} };

/** For a process that nobody traces. */
export const noTracing: Tracing = {
  isOn: false,
  start: () => NO_SPAN,
  traceparent: () => null,
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

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};
const STOP_LIMIT_MS = 3_000;

/**
 * Traces this process if an OTLP endpoint is given (the other `OTEL_…` variables are read by OpenTelemetry's own code).
 * What cannot be sent is dropped, and the log says so. One per process, made by main.ts: the active span is the process's.
 */
export function createTracing({
  endpoint,
  app,
  log,
}: {
  endpoint?: string | undefined;
  app: string;
  log: Logger;
}): Tracing {
  if (endpoint === undefined) return noTracing;
  const warn = (message: string) => log.warn('traces', { reason: message });
  const quiet = () => undefined;
  diag.setLogger({ error: warn, warn, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `jobline-${app}` }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  const tracer = provider.getTracer('jobline');

  return {
    isOn: true,
    start({ name, kind, parent, attributes = {} }) {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, under(parent));
      const own = trace.setSpan(context.active(), span);
      return {
        traceId: span.spanContext().traceId,
        run: (work) => context.with(own, work),
        rename: (to) => void span.updateName(to),
        set: (more) => void span.setAttributes(more),
        fail: (code) => void span.setStatus({ code: SpanStatusCode.ERROR, message: code }),
        end: () => span.end(),
      };
    },
    traceparent() {
      const active = trace.getActiveSpan()?.spanContext();
      return active ? toTraceparent(active) : null;
    },
    async stop() {
      const timer = setTimeout(() => warn('not all traces could be sent in time'), STOP_LIMIT_MS);
      await Promise.race([provider.shutdown(), new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref())]);
      clearTimeout(timer);
    },
  };
}

/** The trace that the caller is in; null: none. For lines of the log. */
export function activeTraceId(): string | null {
  return trace.getActiveSpan()?.spanContext().traceId ?? null;
}

/** What a caller sent, if it is a `traceparent` of the version that we know. */
export function readTraceparent(text: string | readonly string[] | undefined): string | null {
  return typeof text === 'string' && parse(text) ? text : null;
}

function under(parent: string | null | undefined): Context {
  if (parent === undefined) return context.active();
  const remote = parent === null ? null : parse(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

function parse(text: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
