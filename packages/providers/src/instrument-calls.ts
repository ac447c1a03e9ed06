import { failureOf, ProviderFailure } from '@jobline/handlers/errors';
import type { Outbound } from '@jobline/handlers/ports';
import { activeTraceparent, type Metrics, SpanKind, traced } from '@jobline/runtime';

/** A call to an external service. */
export interface ExternalCall {
  /** The kind of service, such as `email`, `sms` or `outbound`. */
  kind: string;
  provider: string;
  operation: string;
}

/** Makes a call, and measures and traces it. */
export type InstrumentCall = <T>(call: ExternalCall, make: () => Promise<T>) => Promise<T>;

const DURATION_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

/** Counts calls by outcome (`ok`, the kind of a ProviderFailure, or a job error code) and records each as a span. */
export function createInstrumentCall(metrics: Metrics): InstrumentCall {
  const calls = metrics.counter('provider_calls_total', 'Calls to external services, by kind, provider and outcome.', [
    'kind',
    'provider',
    'outcome',
  ]);
  const durations = metrics.histogram(
    'provider_call_duration_seconds',
    'Duration of calls to external services, by kind and provider.',
    {
      labels: ['kind', 'provider'],
      buckets: DURATION_BUCKETS_S,
    },
  );
  return async ({ kind, provider, operation }, make) => {
    const startedAt = performance.now();
    let outcome = 'ok';
    try {
      const span = { kind: SpanKind.CLIENT, attributes: { 'jobline.provider': provider } };
      return await traced(`${kind} ${operation}`, span, make);
    } catch (error) {
      outcome = error instanceof ProviderFailure ? error.kind : failureOf(error).code;
      throw error;
    } finally {
      calls.inc({ kind, provider, outcome });
      durations.observe({ kind, provider }, (performance.now() - startedAt) / 1_000);
    }
  };
}

/** Instruments every method of a port. All methods of a port must return promises. */
export function instrumentPort<Port>(port: Port, kind: string, provider: string, instrument: InstrumentCall): Port {
  if (typeof port !== 'object' || port === null) return port;
  const instrumented = Object.entries(port).map(([operation, value]) => {
    if (typeof value !== 'function') return [operation, value];
    return [
      operation,
      (...args: unknown[]) => instrument({ kind, provider, operation }, async () => value.apply(port, args)),
    ];
  });
  // The cast: the methods have the same names and signatures.
  return Object.fromEntries(instrumented) as Port;
}

/** Instruments outbound requests and adds the `traceparent` header to them. */
export function instrumentOutbound<O extends Outbound>(outbound: O, instrument: InstrumentCall): O {
  return {
    ...outbound,
    request: (request) =>
      instrument({ kind: 'outbound', provider: 'outbound', operation: request.method }, () => {
        const traceparent = activeTraceparent();
        return outbound.request(
          traceparent === null ? request : { ...request, headers: { traceparent, ...request.headers } },
        );
      }),
  };
}
