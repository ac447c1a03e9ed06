import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let api: TestApi;
let person: Person;

/** The budget grows by one every 3 s. */
const PER_MIN = 20;
const SMS = { to: '+254711000111', message: 'hi' };
const KINDS: [string, object][] = [
  ['send_sms', SMS],
  ['send_email', { to: 'a@example.com', subject: 'hi', body: 'hi' }],
  ['send_chat_message', SMS],
  ['team_chat_notify', { channel: 'general', text: 'hi' }],
  ['mobile_money_stk', { phone: '254711000111', amount: 1, ref: 'hi' }],
];

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  await world.worker({ jobSendsPerMin: PER_MIN });
});
afterAll(() => world.end());

async function submitMany(who: Person, type: string, payload: object, count: number): Promise<string[]> {
  const jobs = Array.from({ length: count }, () => ({ type, payload }));
  const answer = await who.post('/jobs/batch', { jobs });
  expect(answer.status, answer.text).toBe(202);
  return answer.body.jobs.map(({ id }: { id: string }) => id);
}

/** The jobs that were tried and are waiting. */
const postponed = (who: Person) =>
  world.db.job.findMany({
    where: { orgId: who.orgId, status: 'pending', attempt: { gt: 0 } },
    orderBy: { runAt: 'asc' },
  });

it.each(KINDS)('jobs of type %s beyond the budget wait, spread over time, and use no retry', async (type, payload) => {
  const who = await register(api.call);
  const ids = await submitMany(who, type, payload, PER_MIN + 6);

  const waiting = await until('the budget to be used up', async () => {
    const done = await world.db.job.count({ where: { orgId: who.orgId, status: 'done' } });
    const rows = await postponed(who);
    return done + rows.length === ids.length && rows;
  });
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.length).toBeLessThanOrEqual(6);
  expect(waiting.map(({ retries, errorCode }) => [retries, errorCode])).toEqual(waiting.map(() => [0, null]));
  for (const [n, { runAt }] of waiting.slice(1).entries()) {
    expect(runAt.getTime() - Number(waiting[n]?.runAt.getTime())).toBeGreaterThan((0.5 * 60_000) / PER_MIN);
  }
});

it('a job that waits for the send budget runs later, and its log says why it waited', async () => {
  const who = await register(api.call);
  await submitMany(who, 'send_sms', SMS, PER_MIN + 3);
  const [waiting] = await until('a job to wait', async () => {
    const rows = await postponed(who);
    return rows.length > 0 && rows;
  });

  const story = await finishedJob(who, waiting?.id ?? '');
  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(linesOf(story).slice(0, 3)).toEqual([
    '1 info attempt 1 started',
    expect.stringMatching(
      /^1 info attempt 1 released: rate limit exceeded: SMS sent by the jobs of the organization; the next attempt is due at \S+Z$/,
    ),
    '2 info attempt 2 started',
  ]);
  expect(await world.db.message.count({ where: { orgId: who.orgId } })).toBeGreaterThan(PER_MIN);
});

it('each recipient of an email counts, so that the next email waits until all of them are paid for', async () => {
  const who = await register(api.call);
  const email = { to: 'a@example.com', subject: 'hi', body: 'hi' };
  const cc = Array.from({ length: 2 * PER_MIN - 1 }, (_, n) => `copy${n}@example.com`);
  expect((await finishedJob(who, await submitJob(who, 'send_email', { ...email, cc }))).job.status).toBe('done');
  const startedAt = Date.now();
  await submitJob(who, 'send_email', email);

  const [waiting] = await until('the job to wait', async () => {
    const rows = await postponed(who);
    return rows.length > 0 && rows;
  });
  expect(Number(waiting?.runAt.getTime()) - startedAt).toBeGreaterThan(45_000);
});

it('each kind of message and each organization has its own send budget, and other jobs do not count', async () => {
  await submitMany(person, 'send_sms', SMS, PER_MIN + 5);
  await until('the budget to be used up', async () => (await postponed(person)).length > 0);

  const other = await register(api.call);
  const ids = await Promise.all([
    submitJob(other, 'send_sms', SMS),
    submitJob(person, 'send_email', { to: 'a@example.com', subject: 'hi', body: 'hi' }),
  ]);
  expect((await finishedJob(other, ids[0])).job.status).toBe('done');
  expect((await finishedJob(person, ids[1])).job.status).toBe('done');
  const sent = await person.post('/sms/send', SMS);
  expect(sent.status).toBe(200);
});

it('a job that waits for the send budget can be canceled', async () => {
  const who = await register(api.call);
  await submitMany(who, 'send_sms', SMS, PER_MIN + 5);
  const rows = await until('jobs to wait', async () => {
    const found = await postponed(who);
    return found.length > 2 && found;
  });
  const last = rows.at(-1)?.id ?? '';

  expect((await who.post(`/jobs/${last}/cancel`)).body.status).toBe('failed');
  expect((await finishedJob(who, last)).result.error.code).toBe('canceled');
});
