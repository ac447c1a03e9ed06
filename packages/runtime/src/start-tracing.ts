import type { Logger } from './logger.js';

interface TracingOptions {
  endpoint?: string | undefined;
  app: string;
  log: Logger;
}

/**
 * Traces this process if an OTLP endpoint is given (OpenTelemetry's own code reads the other `OTEL_…` variables). Spans
 * that cannot be sent are dropped, and the log says so. Call it once per process, in main.ts. The returned function
 * sends the remaining spans.
 */
export async function startTracing({ endpoint, ...options }: TracingOptions): Promise<() => Promise<void>> {
  if (endpoint === undefined) return async () => undefined;
  // Imported only here: most processes are not traced, and OpenTelemetry would take a fifth of their start time.
  const { startOpenTelemetry } = await import('./open-telemetry.js');
  return startOpenTelemetry({ endpoint, ...options });
}
