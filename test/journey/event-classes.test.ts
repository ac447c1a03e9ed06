import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { createHookWorld, eventOf, type HookWorld } from './hook-world.js';

/** The long form is in test/long/event-classes.test.ts. */
const JOB_EVENTS = 300;

let hooks: HookWorld;

beforeAll(async () => {
  hooks = await createHookWorld();
});
beforeEach(() => hooks.reset());
afterAll(() => hooks.world.end());

async function write(type: string, count = 1): Promise<void> {
  await hooks.world.db.$executeRaw`
    INSERT INTO webhook_events (org_id, type, data, created_at)
    SELECT ${hooks.person.orgId}::uuid, ${type}, json_build_object('id', n), clock_timestamp() FROM generate_series(1, ${count}::int) AS n`;
}

const FIRST = ['payment.paid', 'message.failed', 'alert.raised', 'bulk.done', 'webhook.disabled'];

it('events of payments, messages and alerts wait for no more of the events of jobs than are under way', async () => {
  const hook = await hooks.createHook(['*']);
  let isHeld = true;
  hooks.reply = async () => {
    await until('the answers', () => !isHeld);
    return {};
  };
  await write('job.done', JOB_EVENTS);
  await until('the first deliveries', () => hooks.at('/hook').length > 0);
  for (const type of FIRST) await write(type);
  for (const type of FIRST)
    await until('its delivery', async () => (await hooks.deliveriesOf(hook, `?event=${type}`)).length === 1);
  const underWay = hooks.at('/hook').length;
  isHeld = false;
  const types = () => hooks.at('/hook').map((request) => eventOf(request).type);
  await until('the events', () => FIRST.every((type) => types().includes(type)));

  // A slot that is free at once may have taken an event of a job.
  const later = types().slice(0, underWay + FIRST.length + 2);
  expect(later).toEqual(expect.arrayContaining(FIRST));
});

it('the events of jobs are planned meanwhile, and all arrive', async () => {
  await hooks.createHook(['*']);
  await write('job.done', 250);
  await write('payment.paid', 250);
  await until('all of them', () => hooks.at('/hook').length === 500);
});
