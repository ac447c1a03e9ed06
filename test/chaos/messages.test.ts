import { createDb, type Db } from '@jobline/db';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type AppProcess,
  createWorld,
  finishedJob,
  HANG_MS,
  linesOf,
  type OwnRedis,
  type Person,
  type Receiver,
  type Reply,
  register,
  spawnWorker,
  startOwnRedis,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';
import { CALLBACKS, idIn, postEvents, sendgridAt } from '../messages/support.js';

let world: World;
let redis: OwnRedis;
let api: TestApi;
let person: Person;
let provider: Receiver;
/** The answer of the provider from now on. */
let reply: Reply | Promise<Reply>;
const workers: AppProcess[] = [];

const ACCEPTED: Reply = { status: 202, headers: { 'x-message-id': 'sg-1' } };
const NO_ANSWER: Reply = { delayMs: 3_600_000 };
const EMAIL = { to: 'ada@example.com', subject: 'Hello', body: 'Hi' };

beforeEach(async () => {
  world = await createWorld();
  redis = await startOwnRedis();
  api = await world.api({ redisUrl: redis.url, prefix: 'jobline', settings: { callbacks: CALLBACKS } });
  person = await register(api.call);
  reply = ACCEPTED;
  provider = await world.receiver(() => reply);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill('SIGTERM');
  await world.end();
  await redis.end();
});

async function spawn(): Promise<AppProcess> {
  const worker = await spawnWorker({
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: redis.url,
    WORKER_LEASE_MS: '1500',
    ...sendgridAt(provider.url),
  });
  workers.push(worker);
  return worker;
}

const message = async () => (await person.get('/email/messages')).body[0];

it('an email is not sent again if its worker is killed after the message was recorded as sent', async () => {
  const doomed = await spawn();
  const held = await holdJobs(() => submitJob(person, 'send_email', EMAIL));
  await until('the message to be recorded as sent', async () => (await message())?.status === 'sent');

  await until('the end to wait for the job', async () => (await waiting()) > 0);

  await doomed.kill('SIGKILL');
  // Its connections outlive it and must not write the pending statement.
  await until('its statement to be ended', async () => (await endWaiting()) > 0);
  await held.release();
  await spawn();

  const story = await finishedJob(person, held.id);
  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(story.result.result).toEqual({
    provider: 'sendgrid',
    message_id: idIn(provider.received[0]),
    provider_message_id: 'sg-1',
  });
  expect(provider.received).toHaveLength(1);
  expect(linesOf(story).join('\n')).toMatch(/2 info message .* was sent by an earlier attempt/);

  function waiting(): Promise<number> {
    return world.db.$executeRaw`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  }

  function endWaiting(): Promise<number> {
    return world.db.$executeRaw`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  }

  /**
   * Locks the job when its provider has been called, so that its outcome cannot be written until the lock is released.
   */
  async function holdJobs(submit: () => Promise<string>): Promise<{ id: string; release(): Promise<void> }> {
    let answer: () => void = () => undefined;
    reply = new Promise((resolve) => {
      answer = () => resolve(ACCEPTED);
    });
    const id = await submit();
    await until('the call', () => provider.received.length === 1);
    const db: Db = createDb({ url: world.databaseUrl, poolSize: 1, onIdleError: () => undefined });
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    const ended = db.$transaction(
      async (tx) => {
        await tx.$executeRaw`SELECT 1 FROM live_jobs WHERE id = ${id} FOR UPDATE`;
        isHeld = true;
        await isReleased;
      },
      { timeout: HANG_MS },
    );
    await until('the job to be held', () => isHeld);
    answer();
    return {
      id,
      async release() {
        release();
        await ended;
        await db.$disconnect();
      },
    };
  }
});

it('an email whose worker is killed during the call is not sent again if feedback reports its delivery', async () => {
  reply = NO_ANSWER;
  const doomed = await spawn();
  const id = await submitJob(person, 'send_email', EMAIL);
  await until('the call', () => provider.received.length === 1);
  const messageId = idIn(provider.received[0]);

  await doomed.kill('SIGKILL');
  reply = ACCEPTED;
  await postEvents(api.call, [
    { event: 'delivered', sg_event_id: 'e1', sg_message_id: 'sg-7.x', jl_message_id: messageId },
  ]);
  await spawn();

  const story = await finishedJob(person, id);
  expect(story.result.result).toEqual({ provider: 'sendgrid', message_id: messageId, provider_message_id: 'sg-7' });
  expect(provider.received).toHaveLength(1);
  expect(await message()).toMatchObject({ id: messageId, status: 'delivered' });
});

it('an email whose worker is killed during the call is sent again with the same id if its fate is unknown', async () => {
  reply = NO_ANSWER;
  const doomed = await spawn();
  const id = await submitJob(person, 'send_email', EMAIL);
  await until('the call', () => provider.received.length === 1);

  await doomed.kill('SIGKILL');
  reply = ACCEPTED;
  await spawn();

  const story = await finishedJob(person, id);
  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(provider.received.map(idIn)).toEqual([story.result.result.message_id, story.result.result.message_id]);
  expect(linesOf(story).join('\n')).toMatch(/2 warn an earlier attempt ended while .* may arrive twice/);
  expect(await world.db.message.count()).toBe(1);
});
