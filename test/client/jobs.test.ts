import { JoblineError } from '@jobline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientWorld, createClientWorld, rejection } from './client-world.js';

let at: ClientWorld;

beforeAll(async () => {
  at = await createClientWorld();
});
afterAll(() => at.end());

async function finished(type: 'echo' | 'failing', payload: object = {}): Promise<string> {
  const { id } = await at.client.jobs.submit(type, payload);
  await at.client.jobs.wait(id);
  return id;
}

describe('a submitted job', () => {
  it('can be read with its payload, its fields, its result, its log and its attempts', async () => {
    const { jobs } = at.client;
    const submitted = await jobs.submit('echo', { a: [1, null, 'ü'] }, { max_retries: 2, tags: ['x'], key: 'k' });
    expect(submitted).toEqual({ id: expect.any(String), status: 'pending' });

    const job = await jobs.wait(submitted.id);

    expect(job).toMatchObject({ id: submitted.id, status: 'done', payload: { a: [1, null, 'ü'] }, max_retries: 2 });
    expect(await jobs.get(submitted.id)).toEqual(job);
    const result = await jobs.result<{ a: unknown[] }>(submitted.id);
    expect(result.result.a).toEqual([1, null, 'ü']);
    const logs = await jobs.logs(submitted.id);
    expect(logs.data.map(({ message }) => message)).toEqual([
      'attempt 1 started',
      'echoing',
      expect.stringContaining('attempt 1'),
    ]);
    expect(await jobs.logs(submitted.id, { after: logs.nextCursor ?? '' })).toMatchObject({ data: [] });
    expect(await jobs.attempts(submitted.id)).toMatchObject({ data: [{ outcome: 'succeeded' }], nextCursor: null });
    expect((await jobs.list({ tag: 'x', key: 'k' })).data.map(({ id }) => id)).toEqual([submitted.id]);
    expect(await jobs.callbacks(submitted.id)).toEqual({ data: [], nextCursor: null });
  });

  it('is submitted once with an id or a key of the caller', async () => {
    const first = await at.client.jobs.submit('echo', {}, { id: 'mine' });
    const again = await at.client.jobs.submit('echo', {}, { id: 'mine' });
    expect([first.id, again.id]).toEqual(['mine', 'mine']);

    const keyed = await at.client.jobs.submit('echo', {}, { idempotencyKey: 'order-1' });
    expect((await at.client.jobs.submit('echo', {}, { idempotencyKey: 'order-1' })).id).toBe(keyed.id);
    expect(await rejection(at.client.jobs.submit('echo', { b: 1 }, { idempotencyKey: 'order-1' }))).toMatchObject({
      code: 'idempotency_key_reused',
      status: 422,
    });
  });

  it('can be changed, canceled, retried, run again and deleted', async () => {
    const { jobs } = at.client;
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await jobs.submit('echo', { n: 1 }, { run_at });

    expect(await jobs.update(id, { priority: 7, payload: { n: 2 } })).toMatchObject({ payload: { n: 2 } });
    expect((await jobs.cancel(id)).id).toBe(id);
    expect((await jobs.wait(id)).status).toBe('failed');
    expect(await jobs.retry(id)).toEqual({ id, status: 'pending' });
    expect((await jobs.wait(id)).status).toBe('done');
    const rerun = await jobs.rerun(id);
    expect(await jobs.wait(rerun.id)).toMatchObject({ payload: { n: 2 }, rerun_of: id });
    const other = await jobs.rerun(id, { payload: { n: 3 }, idempotencyKey: 'rerun-1' });
    expect((await jobs.rerun(id, { payload: { n: 3 }, idempotencyKey: 'rerun-1' })).id).toBe(other.id);
    expect((await jobs.wait(other.id)).payload).toEqual({ n: 3 });
    expect(await jobs.delete(id)).toBeUndefined();
    expect(await rejection(jobs.get(id))).toMatchObject({ code: 'not_found', status: 404 });
  });
});

it('jobs that match a filter can be read page by page, and across all pages', async () => {
  const ids = await at.client.jobs.submitMany(
    Array.from({ length: 7 }, (_, n) => ({ type: 'echo', payload: { n }, tags: ['paged'] })),
  );
  const read: string[] = [];
  for await (const job of at.client.jobs.all({ tag: ['paged'], limit: 3 })) read.push(job.id);
  expect(read).toEqual(ids.toReversed());

  const first = await at.client.jobs.list({ tag: 'paged', limit: 4 });
  const second = await at.client.jobs.list({ tag: 'paged', limit: 4, cursor: first.nextCursor ?? '' });
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(read);
  expect(second.nextCursor).toBeNull();
});

it('a bulk action can be counted, waited for with its progress, listed and stopped', async () => {
  const failed = await Promise.all([finished('failing'), finished('failing')]);
  const filter = { ids: failed };
  const { jobs } = at.client;

  expect(await jobs.bulk({ action: 'delete', filter, dry_run: true })).toEqual({ matches: 2 });
  const progress: number[] = [];
  const ended = await jobs.bulk({ action: 'delete', filter }, { onProgress: ({ done }) => progress.push(done) });
  expect(ended).toMatchObject({ status: 'done', total: 2, done: 2 });
  expect(progress.at(-1)).toBe(2);
  expect(await jobs.bulks.get(ended.id)).toEqual(ended);
  expect((await jobs.bulks.list()).data).toContainEqual(ended);

  const started = await jobs.bulk({ action: 'cancel', filter: { type: 'none-of-these' } });
  await jobs.bulks.stop(started.id);
  expect((await jobs.bulks.wait(started.id)).status).not.toBe('running');
});

it('types, failures and counts of jobs can be read', async () => {
  await finished('failing');

  expect((await at.client.jobs.types()).map(({ type }) => type)).toEqual(expect.arrayContaining(['echo', 'send_sms']));
  const [group] = await at.session.jobs.failures({ window: '1h' });
  expect(group).toMatchObject({ type: 'failing', error_code: 'handler_error' });
  expect((await at.session.jobs.stats({ window: '1h' })).by_status.failed).toBeGreaterThan(0);
});

it('the files of a job can be listed and downloaded', async () => {
  const { id } = await at.client.jobs.submit('echo', {});
  await at.client.jobs.wait(id);
  expect(await at.client.jobs.artifacts.list(id)).toEqual({ data: [], nextCursor: null });

  const missing = at.client.jobs.artifacts.download(id, 'none.pdf');
  expect(await rejection(missing)).toMatchObject({ code: 'not_found' });
});

describe('an error', () => {
  it('has the code, the status, the details and the request id of the response', async () => {
    // The cast: TypeScript refuses this payload, and JavaScript does not.
    const wrong = at.client.jobs.submit('send_sms' as string, { to: 'x' });
    const error = await rejection(wrong);

    expect(error).toBeInstanceOf(JoblineError);
    expect(error).toMatchObject({ code: 'validation_failed', status: 400, requestId: expect.any(String) });
    const { details, message } = error as JoblineError;
    expect(details.map(({ path }) => path)).toContain('payload.message');
    expect(message).toContain('payload.message');
  });

  it('names what a session is needed for', async () => {
    const error = await rejection(at.client.limits.list());

    expect(error).toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(String(error)).toContain('jobline login');
  });

  it.each(['', '.', '..', 'events', 'bulk'])(
    'comes at once for the id "%s", which would be another path',
    async (id) => {
      expect(await rejection(at.client.jobs.get(id))).toBeInstanceOf(JoblineError);
    },
  );
});
