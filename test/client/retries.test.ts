import { Jobline, JoblineError } from '@jobline/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, type Reply, startReceiver } from '../harness/index.js';
import { type ClientWorld, createClientWorld, rejection } from './client-world.js';

describe('through connections that break', () => {
  let at: ClientWorld;
  beforeAll(async () => {
    at = await createClientWorld();
  });
  afterAll(() => at.end());

  it('a job is submitted once, although the response was lost', async () => {
    const lost = at.proxy.loseAnswerTo('POST /jobs ');
    const { id } = await at.client.jobs.submit('echo', {}, { tags: ['once'] });
    await lost;

    expect((await at.client.jobs.list({ tag: 'once' })).data.map((job) => job.id)).toEqual([id]);
  });

  it('thousands of jobs are submitted once each and in order, although two responses are lost', async () => {
    const jobs = Array.from({ length: 3_500 }, (_, n) => ({ type: 'echo', payload: { n }, tags: ['many'] }));
    const progress: number[] = [];
    const lost = at.proxy.loseAnswerTo('POST /jobs/batch');
    const submitted = at.client.jobs.submitMany(jobs, { onProgress: (now) => progress.push(now.submitted) });
    await lost;
    await at.proxy.loseAnswerTo('POST /jobs/batch');
    const ids = await submitted;

    expect(new Set(ids).size).toBe(3_500);
    expect(progress.toSorted((a, b) => a - b)).toEqual(progress);
    expect([progress.length, progress.at(-1)]).toEqual([4, 3_500]);
    const listed: string[] = [];
    for await (const { id } of at.client.jobs.all({ tag: 'many', limit: 1_000 })) listed.push(id);
    expect(listed.toSorted()).toEqual(ids.toSorted());
    expect((await at.client.jobs.get(ids[1_234] ?? '')).payload).toEqual({ n: 1_234 });
  });

  it('a job is deleted without an error, although the response was lost', async () => {
    const { id } = await at.client.jobs.submit('echo', {});
    await at.client.jobs.wait(id);
    const lost = at.proxy.loseAnswerTo('DELETE /jobs/');

    expect(await at.client.jobs.delete(id)).toBeUndefined();
    await lost;
    expect(await rejection(at.client.jobs.delete(id))).toMatchObject({ code: 'not_found' });
  });

  it('a cancel whose response was lost is not repeated', async () => {
    const { id } = await at.client.jobs.submit('echo', {}, { run_at: new Date(Date.now() + 600_000).toISOString() });
    const lost = at.proxy.loseAnswerTo('/cancel');

    expect(await rejection(at.client.jobs.cancel(id))).toMatchObject({ code: 'unreachable', status: 0 });
    await lost;
    expect((await at.client.jobs.get(id)).status).toBe('failed');
  });
});

describe('a server that answers with errors', () => {
  let server: Receiver;
  let replies: Reply[];
  const OK = { status: 202, body: JSON.stringify({ id: 'a', status: 'pending' }) };
  const error = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
    status,
    headers,
    body: JSON.stringify({ error: { code, message: 'Not now.', request_id: 'r-1' } }),
  });
  const clientOf = (url: string) => new Jobline({ url, key: 'jl_any' });

  beforeAll(async () => {
    server = await startReceiver((_request, n) => replies[n - 1] ?? OK);
  });
  afterEach(() => {
    server.received.length = 0;
  });
  afterAll(() => server.close());

  it('gets the same request with the same key again', async () => {
    replies = [
      error(503, 'unavailable', { 'retry-after': '0' }),
      error(429, 'rate_limited', { 'retry-after': '0' }),
      OK,
    ];

    expect(await clientOf(server.url).jobs.submit('echo', { a: 1 })).toEqual({ id: 'a', status: 'pending' });
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(server.received.map(({ text }) => text)).size).toBe(1);
  });

  it('gets a request once that it has refused for good', async () => {
    replies = [error(409, 'conflict')];

    const refused = await rejection(clientOf(server.url).jobs.submit('echo', {}));
    expect(refused).toBeInstanceOf(JoblineError);
    expect(refused).toMatchObject({ code: 'conflict', status: 409, message: 'Not now.', requestId: 'r-1' });
    expect(server.received).toHaveLength(1);
  });

  it('gets no more requests than maxRetries allows', async () => {
    replies = Array.from({ length: 9 }, () => ({ status: 502, body: '<html>' }));

    const ended = await rejection(clientOf(server.url).jobs.submit('echo', {}, { maxRetries: 2 }));
    expect(ended).toMatchObject({ code: 'unexpected', status: 502 });
    expect(server.received).toHaveLength(3);
  });

  it('gets no key after a redirect, and the error names the address', async () => {
    replies = [{ status: 307, headers: { location: 'https://elsewhere.example/jobs' } }];

    const redirected = await rejection(clientOf(server.url).jobs.submit('echo', {}));
    expect(redirected).toMatchObject({ code: 'unexpected', status: 307 });
    expect(String(redirected)).toContain('https://elsewhere.example/jobs');
    expect(server.received).toHaveLength(1);
  });

  it('is not Jobline if its response is not JSON', async () => {
    replies = [{ status: 200, body: '<html>' }];

    expect(await rejection(clientOf(server.url).jobs.get('a'))).toMatchObject({ code: 'unexpected', status: 200 });
  });

  it('has as long as timeoutMs for each try', async () => {
    replies = [{ delayMs: 600_000 }, { delayMs: 600_000 }];

    const late = await rejection(clientOf(server.url).jobs.get('a', { timeoutMs: 20, maxRetries: 1 }));
    expect(late).toMatchObject({ code: 'timeout', status: 0 });
    expect(server.received).toHaveLength(2);
  });

  it('gets nothing after the signal of the caller is aborted', async () => {
    replies = [error(503, 'unavailable', { 'retry-after': '30' })];
    const stop = new AbortController();
    const waiting = rejection(clientOf(server.url).jobs.get('a', { signal: stop.signal }));
    stop.abort(new Error('enough'));

    expect(await waiting).toEqual(new Error('enough'));
    expect(await rejection(clientOf(server.url).jobs.get('a', { signal: stop.signal }))).toEqual(new Error('enough'));
    expect(server.received.length).toBeLessThanOrEqual(1);
  });
});

describe('options', () => {
  it.each([
    [{ url: 'jobs.example.com', key: 'k' }, 'url must be'],
    [{ url: 'https://user:secret@example.com', key: 'k' }, 'no credentials'],
    [{ url: 'https://example.com', key: undefined }, 'key must be'],
    [{ url: 'https://example.com', key: '' }, 'key must be'],
    [{ url: 'https://example.com', token: 'a b' }, 'token must be'],
    [{ url: 'https://example.com', key: 'k', token: 't' }, 'not both'],
    [{ url: 'https://example.com', key: 'k', timeoutMs: 0 }, 'timeoutMs must be'],
    [{ url: 'https://example.com', key: 'k', timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs must be'],
    [{ url: 'https://example.com', key: 'k', maxRetries: -1 }, 'maxRetries must be'],
  ])('%j are refused with a message that says what is wrong', (options, message) => {
    expect(() => new Jobline(options)).toThrow(message);
  });

  it.each(['', 'order 1', 'größer', 'x'.repeat(256)])('an idempotency key such as "%s" is refused', async (key) => {
    const client = new Jobline({ url: 'http://127.0.0.1:1', key: 'k' });

    expect(await rejection(client.jobs.submit('echo', {}, { idempotencyKey: key }))).toMatchObject({
      code: 'invalid_options',
    });
  });

  it('an error of the client that a replaced fetch throws reaches the caller', async () => {
    const own = new JoblineError({ code: 'unreachable', message: 'The connection is closed.' });
    const client = new Jobline({ url: 'http://127.0.0.1:1', maxRetries: 0, fetch: () => Promise.reject(own) });

    expect(await rejection(client.jobs.get('a'))).toBe(own);
  });

  it('an address without a server is unreachable, and the message names it', async () => {
    const server = await startReceiver();
    await server.close();
    const failed = await rejection(new Jobline({ url: server.url, key: 'k', maxRetries: 0 }).jobs.get('a'));

    expect(failed).toMatchObject({ code: 'unreachable', status: 0, cause: expect.anything() });
    expect(String(failed)).toContain(server.url);
    expect(String(failed)).toContain('ECONNREFUSED');
  });

  it('the url may have a path, with or without a slash at its end', async () => {
    const server = await startReceiver(() => ({ body: '{"id":"a"}' }));
    await new Jobline({ url: `${server.url}/jobline/`, key: 'k' }).jobs.get('a b/c');
    await server.close();

    expect(server.received.map(({ path }) => path)).toEqual(['/jobline/jobs/a%20b%2Fc']);
  });
});
