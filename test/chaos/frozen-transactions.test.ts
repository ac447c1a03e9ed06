import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  callsAs,
  createCall,
  createWorld,
  finishedJob,
  type Person,
  type Receiver,
  register,
  type ServiceProxy,
  spawnApi,
  spawnWorker,
  startProxy,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let proxy: ServiceProxy;
let receiver: Receiver;
let frozen: AppProcess | null;

beforeEach(async () => {
  frozen = null;
  world = await createWorld();
  receiver = await world.receiver(() => ({}));
  proxy = await startProxy(world.databaseUrl);
});
afterEach(async () => {
  await frozen?.kill('SIGKILL');
  await proxy.close();
  await world.end();
});

const env = () => ({
  DATABASE_URL: proxy.url,
  REDIS_URL: world.redisUrl,
  QUEUE_PREFIX: world.prefix,
  OUTBOUND_ALLOW_HOSTS: receiver.host,
  JWT_SECRET: 'a secret of the tests, long enough for HS256',
});
const payload = () => ({ url: receiver.url, payload: {} });
const submit = (person: Person) => submitJob(person, 'webhook', payload());
const limit = { types: ['webhook'], concurrency: 5 };

/** The only API so far, whose connections the proxy can hold, and a person who uses it. */
async function startFirstApi(): Promise<{ api: AppProcess; person: Person }> {
  const api = await spawnApi(env());
  return { api, person: await register(createCall(api.url)) };
}

/** Freezes the process between two statements of a transaction: after the one that contains `statement`. */
async function freezeAfter(statement: string, app: AppProcess, cause: () => Promise<unknown>): Promise<void> {
  const sent = proxy.holdAfter(statement);
  cause().catch(() => undefined); // a request to the frozen API has no answer
  await sent;
  frozen = app;
  app.freeze();
}

/** Starts another API and another worker. Returns the person as a caller of this API. */
async function startOthers(person: Person): Promise<Person> {
  const api = await world.api();
  await world.worker({ allowHosts: [receiver.host] });
  return { ...person, ...callsAs(api.call, person.token) };
}

it('a worker that is frozen while it claims a job under a limit does not stop the others', async () => {
  const api = await world.api();
  const [person, other] = [await register(api.call), await register(api.call)];
  for (const one of [person, other]) expect((await one.put('/org/limits/some', limit)).status).toBe(200);
  await freezeAfter('AS "isFree"', await spawnWorker(env()), () => submit(person));

  await startOthers(person);

  expect((await finishedJob(other, await submit(other))).job.status).toBe('done');
  expect((await finishedJob(person, await submit(person))).job.status).toBe('done');
});

it('an API that is frozen while it changes a limit does not stop the others', async () => {
  const { api, person } = await startFirstApi();
  await freezeAfter('INSERT INTO limits', api, () => person.put('/org/limits/some', limit));

  const later = await startOthers(person);

  await until('the limit to be changed', async () => (await later.put('/org/limits/some', limit)).status === 200);
  expect((await finishedJob(later, await submit(later))).job.status).toBe('done');
});

it('an API that is frozen while it makes the job of a schedule does not keep others from making it', async () => {
  const { api, person } = await startFirstApi();
  const schedule = { name: 'often', every_seconds: 3_600, type: 'webhook', payload: payload() };
  expect((await person.post('/schedules', schedule)).status).toBe(201);
  await freezeAfter('AS "isFull"', api, () => world.db.$executeRaw`UPDATE schedules SET next_run_at = now()`);

  await startOthers(person);

  await until('the job of the schedule', () => world.db.job.count({ where: { scheduleId: { not: null } } }));
});

it('an API that is frozen while it plans deliveries of events does not keep others from sending them', async () => {
  const { api, person } = await startFirstApi();
  const hook = await person.post('/org/webhooks', { url: receiver.url, events: ['job.done'] });
  expect(hook.status).toBe(201);
  await freezeAfter('FOR UPDATE SKIP LOCKED) AS e', api, () => person.post(`/org/webhooks/${hook.body.id}/test`));

  await startOthers(person);

  await until('the event to be sent', () => receiver.received.length > 0);
});
