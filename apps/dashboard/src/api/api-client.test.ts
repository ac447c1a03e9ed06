import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Session } from '../session/session.js';
import { createApi } from './api-client.js';

const HOUR_MS = 3_600_000;
const REJECTED = { status: 401, error: { code: 'unauthenticated', message: 'Sign in.' } };
const JOB = { status: 200, id: 'a' };

// Fake timers, because a user may take an hour to sign in.
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('location', { origin: 'http://api' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A client of a session, with an API that gives these answers. */
function start(answers: readonly ({ status: number } | Error)[], renew = () => Promise.resolve('new')) {
  const tokens: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: Headers }) => {
    const answer = answers[tokens.length] ?? new Error('no answer');
    tokens.push(headers.get('Authorization'));
    if (answer instanceof Error) throw answer;
    const { status, ...body } = answer;
    return Response.json(body, { status });
  });
  // The cast: the client calls only these functions of a session.
  const session = { token: () => 'old', renew } as Partial<Session> as Session;
  return { api: createApi(session), tokens };
}

describe('a request', () => {
  test('a request waits until the user has signed in again, and is then repeated', async () => {
    const renew = () => new Promise<string>((resolve) => setTimeout(() => resolve('new'), HOUR_MS));
    const { api, tokens } = start([REJECTED, JOB], renew);
    const job = api.jobs.get('a');
    await vi.advanceTimersByTimeAsync(HOUR_MS);

    expect(await job).toEqual({ id: 'a' });
    expect(tokens).toEqual(['Bearer old', 'Bearer new']);
  });

  test('a request is rejected if the user signs out instead', async () => {
    const { api, tokens } = start([REJECTED], () => Promise.reject(new Error('signed out')));

    await expect(api.jobs.get('a')).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(tokens).toHaveLength(1);
  });

  test('a wrong password does not open the sign-in dialog', async () => {
    const wrong = { status: 401, error: { code: 'invalid_credentials', message: 'Wrong.' } };
    const { api, tokens } = start([wrong]);

    await expect(api.auth.login({ email: 'a@example.com', password: 'x' })).rejects.toMatchObject(wrong.error);
    expect(tokens).toHaveLength(1);
  });

  test('a request that is not answered ends, a read after 15 seconds', async () => {
    start([]);
    vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) => {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    // The cast: the client calls only this function of a session.
    const api = createApi({ token: () => null } as Partial<Session> as Session);
    const ended: string[] = [];
    const read = api.jobs.get('a').catch(({ code }) => ended.push(`read ${code}`));
    const write = api.jobs.cancel('a').catch(({ code }) => ended.push(`write ${code}`));

    await vi.advanceTimersByTimeAsync(14_999);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await read;
    await vi.advanceTimersByTimeAsync(60_000);
    await write;

    expect(ended).toEqual(['read timeout', 'write timeout']);
  });

  test('a request that fails is sent once, and its message is for the user', async () => {
    const { api, tokens } = start([new TypeError('Failed to fetch')]);

    await expect(api.jobs.get('a')).rejects.toMatchObject({
      code: 'unreachable',
      message: 'Jobline cannot be reached. Check your connection; nothing you typed is lost.',
    });
    expect(tokens).toHaveLength(1);
  });
});
