import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  createWorld,
  openRedis,
  type Person,
  register,
  type TestApi,
  until,
  type World,
  waitingEntries,
} from '../../harness/index.js';
import { expectError, newKey } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;
const job = { type: 'custom.type', payload: {} };

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
});
afterAll(() => world.end());

const submit = (jobs: unknown) => person.post('/jobs/batch', { jobs });
const countJobs = () => world.db.job.count({ where: { orgId: person.orgId } });
const isReplay = (answer: Answered) => answer.headers.get('idempotent-replayed');

/** A batch of 1,000 jobs in one body. */
const thousand = (prefix: string) => Array.from({ length: 1_000 }, (_, n) => ({ ...job, id: `${prefix}-${n}` }));

describe('POST /jobs/batch', () => {
  it('answers 202 with an id and pending for each job, in order', async () => {
    const answer = await submit([
      job,
      { id: 'batch-1', type: 'a', payload: { a: [1] }, max_retries: 2, priority: 9 },
      { ID: 'batch-2', Type: 'b', Payload: { b: 2 }, MaxRetries: 1 },
    ]);

    expect([answer.status, answer.body]).toEqual([
      202,
      {
        jobs: [
          { id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'pending' },
          { id: 'batch-1', status: 'pending' },
          { id: 'batch-2', status: 'pending' },
        ],
      },
    ]);
    expect(isReplay(answer)).toBeNull();
    expect((await person.get('/jobs/batch-1')).body).toMatchObject({ type: 'a', payload: { a: [1] }, max_retries: 2 });
    expect((await person.get('/jobs/batch-2')).body).toMatchObject({ type: 'b', payload: { b: 2 }, max_retries: 1 });
  });

  it('accepts 1,000 jobs with a key, and stores every one', async () => {
    const { key } = await newKey(person);
    const jobs = thousand('many');

    const answer = await api.call('POST', '/jobs/batch', { key, body: { jobs } });

    expect(answer.status).toBe(202);
    expect(answer.body.jobs.map(({ id }: { id: string }) => id)).toEqual(jobs.map(({ id }) => id));
    expect(await world.db.job.count({ where: { orgId: person.orgId, id: { startsWith: 'many-' } } })).toBe(1_000);
  });

  it('enqueues as many jobs as Redis has capacity for, and leaves the rest waiting', async () => {
    const other = await register(api.call);
    const redis = openRedis(world.redisUrl);

    expect((await other.post('/jobs/batch', { jobs: thousand('capacity') })).status).toBe(202);

    const placed = (place: 'enqueued' | 'waiting') => world.db.job.findMany({ where: { orgId: other.orgId, place } });
    const [enqueued, waiting] = await Promise.all([placed('enqueued'), placed('waiting')]);
    expect([enqueued.length + waiting.length, enqueued.length <= 100]).toEqual([1_000, true]);
    const entries = await until('the entries in Redis', async () => {
      const keys = new Set((await waitingEntries(redis, world.prefix)).map((id) => id.replace(/-\d+$/, '')));
      return enqueued.every(({ key }) => keys.has(key)) && keys;
    });
    expect(waiting.filter(({ key }) => entries.has(key))).toEqual([]);
    redis.disconnect();
  });

  it('enqueues within the capacity by priority, then in the order of the batch', async () => {
    const own = await createWorld();
    const redis = openRedis(own.redisUrl);
    const { call } = await own.api();
    const [someone, other] = [await register(call), await register(call)];
    await until('the capacity to be known', async () => {
      await other.post('/jobs', job);
      return (await own.db.job.count({ where: { place: 'enqueued' } })) > 0;
    });
    const jobs = Array.from({ length: 150 }, (_, n) => ({ ...job, id: `${n % 3}-${n}`, priority: n % 3 }));

    const { body } = await someone.post('/jobs/batch', { jobs });

    expect(body.jobs.map(({ id }: { id: string }) => id)).toEqual(jobs.map(({ id }) => id));
    const placed = await own.db.job.findMany({ where: { place: 'enqueued', orgId: someone.orgId } });
    expect(placed.length).toBeGreaterThan(50);
    const inOrder = [2, 1, 0].flatMap((p) => jobs.filter(({ priority }) => priority === p)).slice(0, placed.length);
    const idOf = new Map(placed.map(({ key, id }) => [key, id]));
    const entries = await until('the entries', async () => {
      const ids = await waitingEntries(redis, own.prefix);
      const known = ids.flatMap((id) => idOf.get(id.replace(/-\d+$/, '')) ?? []);
      return known.length === placed.length && known;
    });
    expect(entries).toEqual(inOrder.map(({ id }) => id));
    redis.disconnect();
    await own.end();
  });
});

describe('a batch with an issue is rejected as a whole, and every issue is listed', () => {
  const webhook = (url: unknown) => ({ type: 'webhook', payload: { url, payload: {} } });

  it.each<[string, unknown, string[]]>([
    ['no jobs', {}, ['jobs']],
    ['jobs that are not a list', { jobs: job }, ['jobs']],
    ['an empty list', { jobs: [] }, ['jobs']],
    ['1,001 jobs', { jobs: Array(1_001).fill(job) }, ['jobs']],
    ['an unknown name in addition', { jobs: [job], atomic: true }, ['atomic']],
    ['values that are not jobs', { jobs: [job, null, [], 'x', 1] }, ['jobs[1]', 'jobs[2]', 'jobs[3]', 'jobs[4]']],
    [
      'several bad jobs',
      { jobs: [job, { type: 'a b', payload: {} }, { payload: [], max_retries: -1 }, job] },
      ['jobs[1].type', 'jobs[2].type', 'jobs[2].payload', 'jobs[2].max_retries'],
    ],
    ['a payload that its type refuses', { jobs: [job, webhook(1)] }, ['jobs[1].payload.url']],
    ['the other spelling', { jobs: [{ Type: 'webhook', Payload: { payload: {} } }] }, ['jobs[0].Payload.url']],
    ['mixed spellings', { jobs: [{ ...job, MaxRetries: 1 }] }, ['jobs[0]']],
    ['an id twice', { jobs: [{ ...job, id: 'x' }, job, { ...job, id: 'x' }] }, ['jobs[2].id']],
    [
      'an id in both spellings, and more',
      {
        jobs: [
          { ...job, id: 'x' },
          { ID: 'x', Type: '' },
        ],
      },
      ['jobs[1].ID', 'jobs[1].Type', 'jobs[1].Payload'],
    ],
    ['a reserved id', { jobs: [{ ...job, id: 'batch' }] }, ['jobs[0].id']],
  ])('%s', async (_name, body, paths) => {
    const before = await countJobs();

    expectError(await person.post('/jobs/batch', body), 400, 'validation_failed', paths);

    expect(await countJobs()).toBe(before);
  });

  it('a thousand invalid jobs, each by its index', async () => {
    const answer = await submit(Array(1_000).fill({ type: 'a', payload: 1 }));
    expectError(answer, 400, 'validation_failed');
    expect(answer.body.error.details).toHaveLength(1_000);
    expect(answer.body.error.details[999].path).toBe('jobs[999].payload');
  });
});

describe('ids of the caller in a batch', () => {
  it('are a conflict if other jobs have them, and nothing is stored', async () => {
    await submit([
      { ...job, id: 'taken-1' },
      { ...job, id: 'taken-2' },
    ]);
    const { id: made } = (await person.post('/jobs', job)).body;
    const before = await countJobs();

    const answer = await submit([
      { ...job, id: 'new-1' },
      { ...job, id: 'taken-1', max_retries: 3 },
      { ...job, id: 'taken-2' },
      { ...job, id: made },
      job,
    ]);

    expectError(answer, 409, 'conflict', ['jobs[1].id', 'jobs[3].id']);
    expect(await countJobs()).toBe(before);
    expect((await submit([{ ...job, id: 'new-1' }])).status).toBe(202);
  });

  it('count as stored if the same content exists, with its current status', async () => {
    await submit([{ ...job, id: 'again-1' }]);
    await world.db.job.updateMany({ where: { id: 'again-1' }, data: { status: 'done' } });

    const some = await submit([
      { ...job, id: 'again-2' },
      { ...job, id: 'again-1' },
    ]);
    const all = await submit([
      { ...job, id: 'again-2' },
      { ...job, id: 'again-1' },
    ]);

    const jobs = [
      { id: 'again-2', status: 'pending' },
      { id: 'again-1', status: 'done' },
    ];
    expect([some.status, some.body, isReplay(some)]).toEqual([202, { jobs }, null]);
    expect([all.status, all.body, isReplay(all)]).toEqual([202, { jobs }, 'true']);
    expect(await world.db.job.count({ where: { id: { startsWith: 'again-' } } })).toBe(2);
  });

  it('belong to the organization', async () => {
    const stranger = await register(api.call);
    await submit([{ ...job, id: 'shared' }]);

    const theirs = await stranger.post('/jobs/batch', { jobs: [{ type: 'other', payload: {}, id: 'shared' }] });

    expect([theirs.status, isReplay(theirs)]).toEqual([202, null]);
  });

  it('shared by concurrent batches, in any order, cause neither deadlocks nor partial writes', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `race-${n}`);
    const batches = Array.from({ length: 12 }, (_, n) => {
      const start = n * 5;
      const some = [...ids.slice(start), ...ids.slice(0, start)].map((id) => ({ ...job, id }));
      // The last jobs of some batches differ: a later one of these must roll back all of its jobs.
      return [
        ...(n % 2 ? some.reverse() : some),
        { ...job, id: `own-${n}` },
        { type: `t${n % 3}`, payload: {}, id: 'zz' },
      ];
    });

    const answers = await Promise.all(batches.map(submit));

    const winners = answers.flatMap(({ status }, n) => (status === 202 ? [n] : []));
    for (const [n, answer] of answers.entries()) {
      if (!winners.includes(n)) expectError(answer, 409, 'conflict', ['jobs[101].id']);
    }
    const own = await world.db.job.findMany({ where: { id: { startsWith: 'own-' } }, select: { id: true } });
    expect(own.map(({ id }) => id).sort()).toEqual(winners.map((n) => `own-${n}`).sort());
    // All batches with the same content for "zz" as the first one.
    expect(winners).toHaveLength(4);
    expect(await world.db.job.count({ where: { id: { startsWith: 'race-' } } })).toBe(100);
  });
});
