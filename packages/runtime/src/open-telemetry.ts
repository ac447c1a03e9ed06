import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from './logger.js';
import { within } from './timers.js';
import { createSpans } from './tracing.js';

const STOP_LIMIT_MS = 3_000;

/** Sends the spans of this process to an OTLP endpoint. The returned function sends the remaining ones. */
export function startOpenTelemetry(options: { endpoint: string; app: string; log: Logger }): () => Promise<void> {
  const { endpoint, app, log } = options;
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
  createSpans();
  return () => within(STOP_LIMIT_MS, provider.shutdown(), () => warn('some traces could not be sent in time'));
}
