import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  openRedis,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const retry = (id: string, who = person) => who.post(`/jobs/${id}/retry`);

/** A job that has failed, as a worker would leave it. */
async function failedJob(who = person, more: object = {}): Promise<string> {
  const id = await submitJob(who, 'custom.type', { a: 1 }, { max_retries: 3 });
  const finishedAt = new Date();
  const failed = { status: 'failed', errorCode: 'handler_error', errorMessage: 'it broke', finishedAt } as const;
  await world.db.job.updateMany({ where: { id }, data: { ...failed, attempt: 4, retries: 3, crashCount: 1, ...more } });
  return id;
}

describe('POST /jobs/{id}/retry', () => {
  it('makes a failed job pending, and keeps only the count of its attempts', async () => {
    const id = await failedJob();
    const before = await world.db.job.findFirstOrThrow({ where: { id } });

    const answer = await retry(id);

    expect([answer.status, answer.body]).toEqual([202, { id, status: 'pending' }]);
    const row = await world.db.job.findFirstOrThrow({ where: { id } });
    expect(row).toMatchObject({
      status: 'pending',
      retries: 0,
      maxRetries: 3,
      crashCount: 0,
      attempt: 4,
      finishedAt: null,
    });
    expect(row.createdAt).toEqual(before.createdAt);
    expect((await person.get(`/jobs/${id}/result`)).body).toMatchObject({
      status: 'pending',
      result: null,
      error: null,
    });
  });

  it('adds a log entry and keeps the earlier ones', async () => {
    const id = await failedJob();
    await retry(id);

    const { body } = await person.get(`/jobs/${id}/logs`);

    expect(body).toEqual([
      {
        attempt: 4,
        level: 'info',
        message: 'retried manually; all retries are available again',
        timestamp: expect.any(String),
      },
    ]);
  });

  it('logs under attempt 1 for a job that never ran', async () => {
    const id = await submitJob(person, 'custom.type', {});
    expect((await person.post(`/jobs/${id}/cancel`)).status).toBe(202);

    expect((await retry(id)).status).toBe(202);

    const row = await world.db.job.findFirstOrThrow({ where: { id } });
    expect(row).toMatchObject({ status: 'pending', attempt: 0, cancelRequestedAt: null });
    const { body } = await person.get(`/jobs/${id}/logs`);
    expect(body.at(-1)).toMatchObject({ attempt: 1, message: 'retried manually; all retries are available again' });
  });

  it.each(['pending', 'processing', 'done'] as const)(
    'is a conflict for a job that is %s, and changes nothing',
    async (status) => {
      const id = await failedJob(person, { status });
      const before = await world.db.job.findFirst({ where: { id } });

      const answer = await retry(id);

      expectError(answer, 409, 'conflict');
      expect(answer.body.error.message).toContain(status);
      expect(await world.db.job.findFirst({ where: { id } })).toEqual(before);
    },
  );

  it('happens once if it is requested 20 times at once', async () => {
    const id = await failedJob();
    const before = await world.db.job.findFirstOrThrow({ where: { id } });

    const answers = await Promise.all(Array.from({ length: 20 }, () => retry(id)));

    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(19).fill(409)]);
    const { enqueueSeq } = await world.db.job.findFirstOrThrow({ where: { id } });
    expect(enqueueSeq - before.enqueueSeq).toBeLessThanOrEqual(1);
    expect((await person.get(`/jobs/${id}/logs`)).body).toHaveLength(1);
  });
});

describe('a job that is retried', () => {
  const place = async (id: string) => (await world.db.job.findFirstOrThrow({ where: { id } })).place;

  it('is enqueued in Redis immediately while there is capacity, under a new sequence number', async () => {
    const redis = openRedis(world.redisUrl);
    const other = await register(api.call);
    const id = await failedJob(other);
    const { key, enqueueSeq } = await world.db.job.findFirstOrThrow({ where: { id } });

    await retry(id, other);

    expect(await place(id)).toBe('enqueued');
    await until('its entry', () => redis.exists(`{${world.prefix}-io}:io:${key}-${enqueueSeq + 1}`));
    redis.disconnect();
  });

  it('waits behind other jobs of its own organization, but not behind those of others', async () => {
    const [busy, idle] = [await register(api.call), await register(api.call)];
    const [mine, theirs] = [await failedJob(busy), await failedJob(idle)];
    // As the dispatcher publishes it: window, slots, organizations over their share, organizations that wait.
    const redis = openRedis(world.redisUrl);
    await redis.set(`{${world.prefix}-io}:window`, `100 200;;${busy.orgId}`);
    redis.disconnect();
    const isHeard = async () => (await place(await submitJob(busy, 'custom.type', {}))) === 'waiting';
    await until('the API to receive it', isHeard);

    expect([(await retry(mine, busy)).status, (await retry(theirs, idle)).status]).toEqual([202, 202]);

    expect([await place(mine), await place(theirs)]).toEqual(['waiting', 'enqueued']);
  });
});
