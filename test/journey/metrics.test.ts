import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DOCS, readRaw } from '../architecture/markdown.js';
import {
  type Family,
  OPERATOR_HEADERS,
  type Person,
  register,
  sampleOf,
  startWatchedApps,
  submitJob,
  until,
  type WatchedApps,
} from '../harness/index.js';

let service: WatchedApps;
let person: Person;
beforeAll(async () => {
  service = await startWatchedApps(async () => ({ WORKER_QUEUES: 'io:20,cpu:2' }));
});
beforeEach(async () => {
  person = await register(service.call);
});
afterAll(() => service.end());

const OBSERVABILITY = new URL('../../docker/observability/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, OBSERVABILITY), 'utf8');

/** The metrics that PromQL expressions or a text name, without suffixes such as `_bucket`. */
function metricsIn(expressions: string): string[] {
  const names = expressions.match(/\b(?:jobline|nodejs|process)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/(?<=_(?:seconds|size))_(?:bucket|sum|count)$/, '')))];
}

async function both(): Promise<{ api: ReadonlyMap<string, Family>; worker: ReadonlyMap<string, Family> }> {
  const [api, worker] = await Promise.all([service.metrics('api'), service.metrics('worker')]);
  return { api: api.families, worker: worker.families };
}

describe('the metrics of both apps', () => {
  // This test must be the first, because it counts everything since the start.
  it('the metrics count the outcomes of jobs, and name no organization, job or unknown type', async () => {
    const done = await submitJob(person, 'ai_summarize', { text: 'One. Two.' });
    await submitJob(person, 'send_sms', { to: '+254711000000', message: 'hello' });
    await submitJob(person, 'made-up-by-a-caller', {});
    await until(
      'all jobs to be finished',
      async () => sampleOf((await both()).worker, 'jobline_jobs_finished_total') === 3,
    );
    await person.get('/nowhere/near/here');
    await person.get(`/jobs/${done}`);
    const look = async (path: string) => (await fetch(service.api.url + path)).text();
    for (const path of ['/login', '/job/x']) await look(path);
    await look(/\/assets\/[^"]+\.js/.exec(await look('/'))?.[0] ?? '');
    const board = await fetch(`${service.api.url}/admin/queues/api/redis/stats`, { headers: OPERATOR_HEADERS });
    expect(board.status).toBe(200);

    const { api, worker } = await both();
    expect(sampleOf(api, 'jobline_jobs_submitted_total', { type: 'ai_summarize' })).toBe(1);
    expect(sampleOf(api, 'jobline_jobs_submitted_total', { type: 'other' })).toBe(1);
    expect(sampleOf(api, 'jobline_http_requests_total', { method: 'POST', endpoint: '/jobs', status: '202' })).toBe(3);
    expect(sampleOf(api, 'jobline_http_requests_total', { endpoint: 'other', status: '404' })).toBe(1);
    expect(sampleOf(api, 'jobline_http_requests_total', { endpoint: 'page', status: '200' })).toBe(3);
    expect(sampleOf(api, 'jobline_http_requests_total', { endpoint: 'asset', status: '200' })).toBe(1);
    expect(sampleOf(api, 'jobline_http_requests_total', { endpoint: '/admin/queues/api/redis/stats' })).toBe(1);
    expect(sampleOf(api, 'jobline_http_errors_total', { code: 'not_found' })).toBe(1);
    expect(sampleOf(api, 'jobline_http_request_duration_seconds_count', { endpoint: '/jobs/:id' })).toBeGreaterThan(0);
    expect(sampleOf(api, 'jobline_batch_size_sum', { step: 'submit' })).toBe(3);
    expect(sampleOf(worker, 'jobline_jobs_finished_total', { type: 'ai_summarize', status: 'done', code: '' })).toBe(1);
    expect(sampleOf(worker, 'jobline_jobs_finished_total', { status: 'failed', code: 'no_handler' })).toBe(1);
    expect(sampleOf(worker, 'jobline_attempt_duration_seconds_count', { type: 'ai_summarize' })).toBe(1);
    expect(sampleOf(worker, 'jobline_provider_calls_total', { kind: 'ai', provider: 'local', outcome: 'ok' })).toBe(1);
    expect(sampleOf(worker, 'jobline_provider_calls_total', { kind: 'sms', provider: 'sandbox', outcome: 'ok' })).toBe(
      1,
    );
    for (const app of ['api', 'worker'] as const) {
      const { text } = await service.metrics(app);
      expect(text).not.toContain(person.orgId);
      expect(text).not.toContain('made-up-by-a-caller');
      expect(text).not.toContain(done);
    }
  });

  it('a job that is canceled before it runs counts as finished', async () => {
    // No worker consumes the queue of PDFs here.
    const { api: before } = await both();
    const id = await submitJob(person, 'generate_pdf', { template: '<p>x</p>' });

    await person.post(`/jobs/${id}/cancel`, {});

    const { api } = await both();
    const ended = { type: 'generate_pdf', status: 'failed', code: 'canceled' };
    expect(sampleOf(api, 'jobline_jobs_finished_total', ended)).toBe(1);
    for (const name of ['jobline_jobs_finished_total', 'jobline_jobs_submitted_total']) {
      expect(Number(sampleOf(api, name)) - Number(sampleOf(before, name))).toBe(1);
    }
  });

  it('planned times of schedules are counted with their lateness', async () => {
    const body = { name: 'often', every_seconds: 5, type: 'ai_summarize', payload: { text: 'One.' } };
    const { id } = (await person.post('/schedules', body)).body;
    // Whichever process is the first.
    await until('a planned job to be counted', async () => {
      const apps = Object.values(await both());
      const made = apps.map((app) => Number(sampleOf(app, 'jobline_schedule_times_total', { outcome: 'made' })));
      const late = apps.map((app) => Number(sampleOf(app, 'jobline_schedule_lateness_seconds_count')));
      expect(late).toEqual(made);
      return Math.max(...made) > 0;
    });
    expect((await person.delete(`/schedules/${id}`)).status).toBe(204);
    const { api } = await both();
    expect(sampleOf(api, 'jobline_schedules_overdue_seconds')).toBeLessThan(30);
    expect((await service.metrics('api')).text).not.toContain(id);
  });

  it('the API exposes the waiting jobs and the live workers', async () => {
    // No worker consumes the queue of PDFs here.
    await submitJob(person, 'generate_pdf', { template: '<p>x</p>' });

    // The API caches these counts for a moment, so the first answer may be older than the job and the worker.
    const api = await until('the waiting job and the worker', async () => {
      const { families } = await service.metrics('api');
      const waiting = sampleOf(families, 'jobline_jobs_waiting', { queue: 'browser' });
      return waiting === 1 && sampleOf(families, 'jobline_workers') === 1 && families;
    });
    expect(sampleOf(api, 'jobline_jobs_oldest_waiting_seconds', { queue: 'browser' })).toBeGreaterThan(0);
    expect(sampleOf(api, 'jobline_jobs_waiting', { queue: 'io' })).toBe(0);
    expect(sampleOf(api, 'jobline_worker_slots', { queue: 'io' })).toBe(20);
    expect(sampleOf(api, 'jobline_worker_slots', { queue: 'browser' })).toBe(0);
    expect(sampleOf(api, 'jobline_postgres_up')).toBe(1);
  });

  it('every metric that the Grafana dashboard, the alerts and the documents name exists', async () => {
    const { api, worker } = await both();
    const dashboard = JSON.parse(read('grafana-dashboard.json'));
    const drawn = dashboard.panels
      .flatMap((panel: { targets?: { expr: string }[] }) => panel.targets ?? [])
      .map(({ expr }: { expr: string }) => expr);
    const alerts = read('alerts.yml').replace(/^ *(?:action|summary|#).*$/gm, '');

    const named = [...new Set([...metricsIn(drawn.join('\n')), ...metricsIn(alerts)])];
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !api.has(name) && !worker.has(name))).toEqual([]);
    // The role of the apps in Postgres has a name like a metric.
    const documented = metricsIn([DOCS.monitoring, DOCS.deploy].map(readRaw).join('\n').replaceAll('jobline_app', ''));
    expect(documented.length).toBeGreaterThan(20);
    expect(documented.filter((name) => !api.has(name) && !worker.has(name))).toEqual([]);
  });

  it('counters of failures that alerts watch start at 0, so that the first increase is visible', async () => {
    const { worker } = await both();

    const watched = [...read('alerts.yml').matchAll(/increase\((jobline_\w+)(?:\{(\w+)="(\w+)"\})?\[\w+\]\)+ > 0$/gm)];
    expect(watched).toHaveLength(3);
    for (const [, name = '', label, value = ''] of watched) {
      expect([name, sampleOf(worker, name, label ? { [label]: value } : {})]).toEqual([name, 0]);
    }
  });

  it('the SQL statement that an alert gives to the operator is valid', async () => {
    const [statement = ''] = /SELECT org_id.*?;/s.exec(read('alerts.yml')) ?? [];
    const type = 'unknown-to-all';
    await submitJob(person, type, {});
    const failed = { type, status: 'failed' } as const;
    await until('the job to fail', async () => (await service.world.db.job.count({ where: failed })) === 1);

    const rows = await service.world.db.$queryRawUnsafe(statement.replace('{{ $labels.type }}', type));
    expect(rows).toEqual([expect.objectContaining({ org_id: person.orgId, error_code: 'no_handler', count: 1n })]);
  });

  it('the metrics need the credentials of the operator', async () => {
    for (const { url } of [service.api, service.worker]) {
      const ask = (headers: Record<string, string>, method = 'GET') => fetch(`${url}/metrics`, { method, headers });
      const wrong = { authorization: `Basic ${Buffer.from('ops:guess').toString('base64')}` };
      for (const headers of [{}, wrong, { authorization: `Bearer ${person.token}` }]) {
        const refused = await ask(headers);
        expect(refused.status).toBe(401);
        expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
      }
      expect((await ask(OPERATOR_HEADERS)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      expect((await ask(OPERATOR_HEADERS, 'HEAD')).status).toBe(200);
      expect((await ask(OPERATOR_HEADERS, 'POST')).status).toBe(405);
    }
  });

  // This test must be the last, because it ends the worker.
  it('the metrics show which tasks of the whole service no process does', async () => {
    const owned = (lease: string, value: number) => async () => {
      const { families } = await service.metrics('api');
      return sampleOf(families, 'jobline_tasks_owned', { lease }) === value;
    };
    for (const lease of ['feed', 'worker-maintenance', 'maintenance'])
      await until(`a process to hold ${lease}`, owned(lease, 1));

    await service.worker.kill('SIGKILL');

    for (const lease of ['feed', 'worker-maintenance']) await until(`no process to hold ${lease}`, owned(lease, 0));
    await until('the API to hold the lease of maintenance', owned('maintenance', 1));
  });
});
