import {
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
import { parseTraceparent, type Tracing } from './tracing.js';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};
const STOP_LIMIT_MS = 3_000;

/** Traces this process with OpenTelemetry, and sends the spans to an OTLP endpoint. */
export function startOpenTelemetry({ endpoint, app, log }: { endpoint: string; app: string; log: Logger }): Tracing {
  const warn = (message: string) => log.warn('traces', { reason: message });
  const quiet = () => undefined;
  diag.setLogger({ error: warn, warn, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces` });
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
    traceId: () => trace.getActiveSpan()?.spanContext().traceId ?? null,
    async stop() {
      const timer = setTimeout(() => warn('some traces could not be sent in time'), STOP_LIMIT_MS);
      await Promise.race([provider.shutdown(), new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS).unref())]);
      clearTimeout(timer);
    },
  };
}

function under(parent: string | null | undefined): Context {
  if (parent === undefined) return context.active();
  const remote = parent === null ? null : parseTraceparent(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT;
}

function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
