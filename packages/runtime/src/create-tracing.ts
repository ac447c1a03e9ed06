import type { Logger } from './logger.js';
import { noTracing, setProcessTracing, type Tracing } from './tracing.js';

export interface TracingOptions {
  endpoint?: string | undefined;
  app: string;
  log: Logger;
}

/**
 * Traces this process if an OTLP endpoint is given (OpenTelemetry's own code reads the other `OTEL_…` variables). Spans
 * that cannot be sent are dropped, and the log says so. Call it once per process, in main.ts: the active span belongs
 * to the process.
 */
export async function createTracing({ endpoint, app, log }: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  // Imported only here: most processes are not traced, and OpenTelemetry would take a fifth of their start time.
  const { startOpenTelemetry } = await import('./open-telemetry.js');
  const tracing = startOpenTelemetry({ endpoint, app, log });
  setProcessTracing(tracing);
  return tracing;
}
