import { createDb } from '@jobline/db';
import {
  createCancel,
  createEnqueue,
  createEvents,
  createPlan,
  createProducer,
  createPublishedTypes,
  createRoutes,
  createWindow,
  type EngineEvents,
  type Plan,
} from '@jobline/engine';
import { createCatalogue, defineHandler, QUEUES } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSchedule, jobIdOf, makeDue, untilPlanned } from '../api/schedules/support.js';
import {
  createWorld,
  finishedJob,
  type OwnRedis,
  type Person,
  register,
  startApi,
  startOwnRedis,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let redis: OwnRedis;
let api: TestApi;
let isStopped: boolean;
let person: Person;
let runs: Map<string, number>;
const planners: { plan: Plan; events: EngineEvents; end(): Promise<void> }[] = [];

const counting = createCatalogue([
  defineHandler({
    type: 'count',
    async run(_payload, { idempotencyKey }) {
      runs.set(idempotencyKey, (runs.get(idempotencyKey) ?? 0) + 1);
    },
  }),
]);

beforeEach(async () => {
  runs = new Map();
  world = await createWorld();
  redis = await startOwnRedis();
  const { databaseUrl, prefix } = world;
  api = await startApi({ databaseUrl, prefix, redisUrl: redis.url });
  isStopped = false;
  person = await register(api.call);
});
afterEach(async () => {
  for (const { end } of planners.splice(0)) await end();
  await stopApi();
  await world.end();
  await redis.end();
});

/** From then on, only the planners of the test plan. */
async function stopApi(): Promise<void> {
  if (isStopped) return;
  isStopped = true;
  await api.stop();
}

/** Plans like any process, but only when it is called. `withEnqueue: false`: it dies between the commit and the enqueue. */
function createPlanner({ withEnqueue = true } = {}) {
  const events = createEvents();
  const db = createDb({ url: world.databaseUrl, poolSize: 4, onIdleError: () => undefined });
  const producer = createProducer({ redisUrl: redis.url, prefix: world.prefix, events });
  const enqueue = withEnqueue ? createEnqueue({ producer, events }) : async () => undefined;
  const plan = createPlan({
    db,
    hot: world.hot,
    producer,
    events,
    enqueue,
    routes: createRoutes({
      catalogue: counting,
      published: createPublishedTypes({ db, events, leaseMs: 15_000 }),
    }),
    window: createWindow(QUEUES, producer),
    cancel: createCancel({ db, producer, events }),
    maxStoredBytes: Number.MAX_SAFE_INTEGER,
  });
  const planner = {
    plan,
    events,
    async end() {
      await producer.close();
      await db.$disconnect();
    },
  };
  planners.push(planner);
  return planner;
}

it('many planners at once make each due time of many schedules exactly once', async () => {
  const ids = [];
  for (let n = 0; n < 40; n++)
    ids.push((await createSchedule(person, { every_seconds: 5, missed: 'run_all', enabled: n > 0 })).id);
  const due: string[] = [];
  for (const id of ids.slice(1)) due.push(...timesOf(id, await makeDue(world.db, id, 57), 5, 12));
  const plans = Array.from({ length: 6 }, () => createPlanner().plan);
  await Promise.all(plans.map((plan) => plan.round()));
  await Promise.all(plans.map((plan) => plan.round()));
  for (const id of ids.slice(1)) await untilPlanned(world.db, id);
  for (const id of ids) await person.patch(`/schedules/${id}`, { enabled: false });

  // The id of a job follows from its time, and ids are unique. So no time can have two jobs.
  const made = new Set(await idsMade());
  expect(due.filter((id) => !made.has(id))).toEqual([]);
});

/** The ids of all jobs, in the order of their times if they are of one schedule. */
async function idsMade(): Promise<string[]> {
  const jobs = await world.db.submittedJob.findMany({ select: { id: true }, orderBy: { id: 'asc' } });
  return jobs.map(({ id }) => id);
}

/** The ids of `count` jobs, one each period from the first time. */
function timesOf(id: string, first: Date, everySeconds: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => jobIdOf(id, new Date(first.getTime() + n * everySeconds * 1_000)));
}

it('a process that dies between the commit of a planned job and its enqueue loses no job', async () => {
  const { id } = await createSchedule(person, { type: 'count' });
  await stopApi();
  const at = await makeDue(world.db, id);
  await createPlanner({ withEnqueue: false }).plan.round();
  expect(await world.db.liveJob.findFirst({ where: { id: jobIdOf(id, at) } })).toMatchObject({ status: 'pending' });

  await world.worker({ redisUrl: redis.url, catalogue: counting });
  await until('the job to be done', () =>
    world.db.finishedJob.count({ where: { id: jobIdOf(id, at), status: 'done' } }),
  );
  expect([...runs.values()]).toEqual([1]);
});

it('a transaction that is rolled back leaves the time due, and the next round makes it', async () => {
  const { id } = await createSchedule(person);
  await stopApi();
  await world.db.$executeRaw`ALTER TABLE live_jobs RENAME TO live_jobs_away`;
  const at = await makeDue(world.db, id);
  const { plan, events } = createPlanner();
  const failed: string[] = [];
  events.on('step.failed', ({ step }) => failed.push(step));
  await plan.round();
  expect(failed).toContain('plan');
  expect(await world.db.submittedJob.count()).toBe(0);
  await world.db.$executeRaw`ALTER TABLE live_jobs_away RENAME TO live_jobs`;

  await createPlanner().plan.round();
  expect(await idsMade()).toEqual([jobIdOf(id, at)]);
});

it('planned jobs survive the loss of all data in Redis, and each runs once', async () => {
  const ids = [];
  for (let n = 0; n < 50; n++) ids.push((await createSchedule(person, { type: 'count' })).id);
  for (const id of ids) await makeDue(world.db, id);
  for (const id of ids) await untilPlanned(world.db, id);
  await redis.flushAll();
  await world.worker({ redisUrl: redis.url, catalogue: counting });
  await redis.flushAll();
  await until('all to be done', async () => (await world.db.finishedJob.count({ where: { status: 'done' } })) === 50);
  expect([runs.size, Math.max(...runs.values())]).toEqual([50, 1]);
});

it('schedules run while Redis is down', async () => {
  const { id } = await createSchedule(person, { type: 'count' });
  await redis.server.kill();
  const at = await makeDue(world.db, id);
  await untilPlanned(world.db, id);
  expect(await idsMade()).toEqual([jobIdOf(id, at)]);

  await redis.server.start();
  await world.worker({ redisUrl: redis.url, catalogue: counting });
  await finishedJob(person, jobIdOf(id, at));
  expect([...runs.values()]).toEqual([1]);
});

it('a clock that jumps forward and back again neither doubles nor loses a time', async () => {
  const { id } = await createSchedule(person, { every_seconds: 3_600, missed: 'run_all' });
  await stopApi();
  const { plan } = createPlanner();
  // Seen from a clock that has jumped three hours forward, three times are due.
  const first = await makeDue(world.db, id, 3 * 3_600);
  await plan.round();
  expect(await idsMade()).toEqual(timesOf(id, first, 3_600, 4));

  // The clock jumps back: the same times seem to be due again.
  await world.db.$executeRaw`UPDATE schedules SET next_run_at = ${first} WHERE id = ${id}::uuid`;
  await plan.round();
  expect(await idsMade()).toEqual(timesOf(id, first, 3_600, 4));
  await untilPlanned(world.db, id);
});

it('a schedule that cannot be planned does not keep the others from being planned', async () => {
  const unknownZone = await createSchedule(person, { cron: '0 0 1 1 *' });
  const refused = await createSchedule(person);
  const good = await createSchedule(person);
  await stopApi();
  await world.db.$executeRaw`UPDATE schedules SET timezone = 'Mars/Base' WHERE id = ${unknownZone.id}::uuid`;
  await world.db.$executeRawUnsafe(`ALTER TABLE submitted_jobs ADD CHECK (schedule_id <> '${refused.id}')`);
  for (const { id } of [unknownZone, refused, good]) await makeDue(world.db, id);
  const { plan, events } = createPlanner();
  const failed: unknown[] = [];
  events.on('step.failed', ({ error }) => failed.push(error));
  await plan.round();
  await plan.round();

  expect((await idsMade()).map((id) => id.slice(0, 36))).toEqual([good.id]);
  expect(failed.map(String).join()).toContain('Mars/Base');
});

it('a worker alone plans, too', async () => {
  const { id } = await createSchedule(person, { type: 'count' });
  await stopApi();
  const at = await makeDue(world.db, id);
  // Its own queue is not that of the job.
  await world.alone.worker({ redisUrl: redis.url, catalogue: counting, queues: ['cpu'] });
  await until('the job to be made', () => world.db.liveJob.count({ where: { id: jobIdOf(id, at) } }));
});
