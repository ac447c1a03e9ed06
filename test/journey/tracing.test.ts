import { afterEach, expect, it } from 'vitest';
import { type Receiver, register, startWatchedApps, submitJob, until, type WatchedApps } from '../harness/index.js';

let service: WatchedApps;
afterEach(() => service.end());

/** The fields of a span in OTLP's JSON that the test reads. */
interface Sent {
  app: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
}

/** OTLP's own form of an attribute. */
interface Attribute {
  key: string;
  value: Record<string, unknown>;
}
interface Batch {
  resource: { attributes: Attribute[] };
  scopeSpans: { spans: (Omit<Sent, 'app' | 'attributes'> & { attributes: Attribute[] })[] }[];
}

/** All spans that the apps have sent to a collector. */
function spansAt(collector: Receiver): Sent[] {
  return collector.received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ text }): Batch[] => JSON.parse(text).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const app = String(plain(resource.attributes)['service.name']);
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      return spans.map((span) => ({ ...span, app, attributes: plain(span.attributes) }));
    });
}

function plain(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

it("a caller's trace continues through request, queue and each attempt to the receiver of its webhook", async () => {
  let collector: Receiver | undefined;
  let hooked: Receiver | undefined;
  service = await startWatchedApps(async (world) => {
    collector = await world.receiver();
    hooked = await world.receiver((_, n) => ({ status: n === 1 ? 500 : 200 }));
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OUTBOUND_ALLOW_HOSTS: hooked.host,
      RETRY_BASE_MS: '20',
      LOG_LEVEL: 'debug',
    };
  });
  if (!collector || !hooked) throw new Error('the receivers were not started');
  const person = await register(service.call);
  const payload = { url: hooked.url, payload: {} };

  const answer = await person.post(
    '/jobs',
    { type: 'webhook', payload, max_retries: 1 },
    { headers: { traceparent: TRACEPARENT } },
  );
  expect(answer.status).toBe(202);
  await until('both attempts', () => hooked?.received.length === 2);
  const spans = await until('all spans', () => {
    const found = collector ? spansAt(collector).filter(({ traceId }) => traceId === CALLER.traceId) : [];
    return found.length >= 6 && found;
  });

  const named = (name: string) => spans.filter((span) => span.name === name);
  const [request] = named('POST /jobs');
  const [submit] = named('submit');
  const attempts = named('attempt webhook').sort(
    (a, b) => Number(a.attributes['jobline.attempt']) - Number(b.attributes['jobline.attempt']),
  );
  const calls = named('outbound POST');
  expect(request).toMatchObject({ app: 'jobline-api', parentSpanId: CALLER.spanId });
  expect(submit).toMatchObject({ app: 'jobline-api', parentSpanId: request?.spanId });
  expect(attempts).toHaveLength(2);
  for (const attempt of attempts)
    expect(attempt).toMatchObject({ app: 'jobline-worker', parentSpanId: submit?.spanId });
  expect(attempts.map(({ attributes }) => attributes['jobline.outcome'])).toEqual(['retry', 'done']);
  expect(new Set(calls.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set(attempts.map(({ spanId }) => spanId)));
  expect(hooked.received.map(({ headers }) => headers.traceparent).sort()).toEqual(
    calls.map(({ spanId }) => `00-${CALLER.traceId}-${spanId}-01`).sort(),
  );
  // The lines of both logs can be found by the trace.
  const lines = (output: string) => output.split('\n').filter((line) => line.includes(CALLER.traceId));
  expect(lines(service.api.output()).join()).toContain('"request_id"');
  expect(lines(service.worker.output()).map((line) => JSON.parse(line).message)).toEqual(
    expect.arrayContaining(['attempt started', 'attempt finished: retry', 'attempt done']),
  );
  // The spans identify a job, and contain nothing of its payload.
  expect(collector.received.map(({ text }) => text).join()).not.toContain(hooked.url);
});

it('without tracing no trace is stored, except one that a caller has begun, for workers that are traced', async () => {
  service = await startWatchedApps();
  const person = await register(service.call);
  const plainJob = await submitJob(person, 'ai_summarize', { text: 'One. Two.' });
  const traced = await person.post(
    '/jobs/batch',
    { jobs: [{ type: 'ai_summarize', payload: { text: 'One. Two.' } }] },
    { headers: { traceparent: TRACEPARENT } },
  );
  const broken = await person.post(
    '/jobs',
    { type: 'ai_summarize', payload: { text: 'One. Two.' } },
    { headers: { traceparent: '00-00000000000000000000000000000000-b7ad6b7169203331-01' } },
  );

  const kept = async (id: string) => (await service.world.db.job.findFirst({ where: { id } }))?.traceparent;
  expect(await kept(plainJob)).toBeNull();
  expect(await kept(traced.body.jobs[0].id)).toBe(TRACEPARENT);
  expect(await kept(broken.body.id)).toBeNull();
  expect(service.worker.output()).not.toContain('trace_id');
});
