import type { Logger } from './logger.js';
import { noTracing, setProcessTracing, type Tracing } from './tracing.js';

export interface TracingOptions {
  endpoint?: string | undefined;
  app: string;
  log: Logger;
}

/**
 * Traces this process if an OTLP endpoint is given (the other `OTEL_…` variables are read by OpenTelemetry's own code).
 * What cannot be sent is dropped, and the log says so. One per process, made by main.ts: the active span is the process's.
 */
export async function createTracing({ endpoint, app, log }: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined) return noTracing;
  // Loaded only here: most processes are not traced, and OpenTelemetry would make up a fifth of their start.
  const { startOpenTelemetry } = await import('./open-telemetry.js');
  const tracing = startOpenTelemetry({ endpoint, app, log });
  setProcessTracing(tracing);
  return tracing;
}
