import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type AppProcess,
  callsAs,
  createCall,
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  type Receiver,
  readEvents,
  register,
  type SharedRedis,
  spawnApi,
  spawnWorker,
  startSharedRedis,
  until,
  type World,
} from '../harness/index.js';

/** Slots of each worker: so few that none are reserved for small organizations. */
const SLOTS = 9;

/** Like several machines: two APIs and four workers that share only one Postgres and one Redis. */
let world: World;
let redis: SharedRedis;
let apis: (AppProcess & { url: string })[] = [];
let workers: AppProcess[] = [];
/** The same person, at each API. */
let people: [Person, Person];
let receiver: Receiver;
/** Calls wait for this before they are answered. */
let released: Promise<unknown>;

beforeAll(async () => {
  [world, redis] = [await createWorld(), await startSharedRedis()];
  receiver = await world.receiver(async () => {
    await released;
    return {};
  });
  const env = {
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    JWT_SECRET: 'a secret of the tests, long enough for HS256',
    WORKER_LEASE_MS: '10000',
  };
  const asApi = { ...env, BCRYPT_COST: '4' };
  const asWorker = { ...env, WORKER_QUEUES: `io:${SLOTS}`, OUTBOUND_ALLOW_HOSTS: receiver.host };
  [apis, workers] = await Promise.all([
    Promise.all([1, 2].map(() => spawnApi(asApi))),
    Promise.all([1, 2, 3, 4].map(() => spawnWorker(asWorker))),
  ]);
  people = await samePerson(apis.map(({ url }) => url));
  await until(
    () => `all workers to take part; they have logged: ${workers.map(({ output }) => output()).join('\n')}`,
    async () => (await world.db.worker.count()) === workers.length,
  );
});
afterAll(async () => {
  await Promise.all([...apis, ...workers].map((app) => app.kill('SIGTERM')));
  await world.end();
  await redis.end();
});

/** Registers at the first URL, and returns that person for each of the two. */
async function samePerson([first = '', second = '']: string[]): Promise<[Person, Person]> {
  const person = await register(createCall(first));
  const call = createCall(second);
  const { token } = person;
  return [person, { ...person, ...callsAs(call, token) }];
}

const hook = (name: string) => ({ type: 'webhook', payload: { url: `${receiver.url}/${name}`, payload: {} } });
const slots = () => workers.length * SLOTS;
const callsOf = (name: string) => receiver.received.filter(({ path }) => path === `/${name}`).length;

/** Makes calls wait until the returned function is called. */
function holdCalls(): () => void {
  let release: () => void = () => undefined;
  released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return release;
}

it('each job that is submitted to one of two APIs runs once, at its first attempt, on one of four workers', async () => {
  const letGo = holdCalls();
  const batches = Array.from({ length: 12 }, (_, b) => Array.from({ length: 40 }, (_, n) => hook(`batch-${b}-${n}`)));
  const singles = Array.from({ length: 60 }, (_, n) => hook(`single-${n}`));

  const answers = await Promise.all([
    ...batches.map((jobs, b) => people[b % 2 ? 1 : 0].post('/jobs/batch', { jobs })),
    ...singles.map((job, n) => people[n % 2 ? 1 : 0].post('/jobs', job)),
  ]);

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  const total = batches.flat().length + singles.length;
  await until('every worker to be busy', () => receiver.received.length === slots());
  expect(await world.db.job.groupBy({ by: ['workerId'], where: { status: 'processing' } })).toHaveLength(
    workers.length,
  );
  letGo();
  await until('all to be done', async () => (await world.db.job.count({ where: { status: 'done' } })) === total);
  expect(await world.db.job.count({ where: { attempt: 1, retries: 0, crashCount: 0 } })).toBe(total);
  expect(receiver.received).toHaveLength(total);
  expect(new Set(receiver.received.map(({ path }) => path)).size).toBe(total);
});

it('one Idempotency-Key that is raced through both APIs gives one job', async () => {
  holdCalls()();
  const headers = { 'Idempotency-Key': 'the-one-order' };
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => people[n % 2 ? 1 : 0].post('/jobs', hook('raced'), { headers })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  const ids = new Set<string>(answers.map(({ body }) => body.id));
  expect(ids.size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  const [id = ''] = ids;
  expect((await finishedJob(people[1], id)).job.status).toBe('done');
  expect(callsOf('raced')).toBe(1);
});

it('a stream at one API shows what is submitted to, and canceled at, the other', async () => {
  const letGo = holdCalls();
  const stream = await readEvents(`${apis[0]?.url}/jobs/events`, { token: people[0].token });
  try {
    const { body } = await people[1].post('/jobs', hook('to-be-canceled'));
    await until('the job to run', () => callsOf('to-be-canceled') === 1);
    expect((await people[0].post(`/jobs/${body.id}/cancel`)).body).toEqual({ id: body.id, status: 'processing' });

    const story = await finishedJob(people[1], body.id);
    expect(story.result.error).toMatchObject({ code: 'canceled' });
    const statuses = () => stream.events.filter(({ name, data }) => name === 'status' && data.id === body.id);
    await until('the stream to show the end', () => statuses().at(-1)?.data.status === 'failed');
    expect([...new Set(statuses().map(({ data }) => data.status))]).toEqual(['pending', 'processing', 'failed']);
  } finally {
    letGo();
    await stream.close();
  }
});

it('no accepted job is lost when a worker is killed and an API is stopped during the work', async () => {
  const letGo = holdCalls();
  const before = receiver.received.length;
  const ids = Array.from({ length: 300 }, (_, n) => `order-${n}`);
  /** Behaves like a caller: without a response, it asks the other API, which knows the id if the job was accepted. */
  const push = async (id: string, at: 0 | 1): Promise<number> => {
    const send = (to: 0 | 1) => people[to].post('/jobs', { ...hook(id), id });
    const answer = await send(at).catch(() => send(at ? 0 : 1));
    return answer.status;
  };
  const first = await Promise.all(ids.slice(0, 100).map((id, n) => push(id, n % 2 ? 1 : 0)));
  await until('every worker to be busy', () => receiver.received.length === before + slots());

  const [doomed, stopped] = [workers[0], apis[1]];
  const rest = Promise.all(ids.slice(100, 250).map((id, n) => push(id, n % 2 ? 1 : 0)));
  await Promise.all([doomed?.kill('SIGKILL'), stopped?.kill('SIGTERM')]);
  letGo();
  const last = Promise.all(ids.slice(250).map((id) => push(id, 1)));

  expect(new Set([...first, ...(await rest), ...(await last)])).toEqual(new Set([202]));
  const where = { id: { startsWith: 'order-' } };
  const isDone = async () => (await world.db.job.count({ where: { ...where, status: 'done' } })) === ids.length;
  await until('all to be done', isDone);
  expect(await world.db.job.count({ where: { ...where, attempt: 1, crashCount: 0 } })).toBe(ids.length - SLOTS);
  const taken = await world.db.job.findMany({ where: { ...where, attempt: 2, crashCount: 1, retries: 0 } });
  expect(taken).toHaveLength(SLOTS);
  expect(linesOf(await finishedJob(people[0], taken[0]?.id ?? ''))).toContain(
    '1 warn the worker died during attempt 1; the job is pending again',
  );
  expect(new Set(receiver.received.slice(before).map(({ path }) => path)).size).toBe(ids.length);
});
