import { afterEach, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { createHookWorld, eventOf, type HookWorld } from '../journey/hook-world.js';

/** A shorter form: EVENTS=5000. The shortest one is in test/journey/event-classes.test.ts. */
const EVENTS = Number(process.env.EVENTS ?? 50_000);
const PAYMENTS = 20;
const MAX_DELAY_MS = 2_000;

let hooks: HookWorld;
afterEach(() => hooks.world.end());

it('an event of a payment behind many events of jobs arrives within two seconds', async () => {
  hooks = await createHookWorld();
  await hooks.reset();
  const hook = await hooks.createHook(['*']);
  const write = (type: string, count: number) => hooks.world.db.$executeRaw`
    INSERT INTO webhook_events (org_id, type, data, created_at)
    SELECT ${hooks.person.orgId}::uuid, ${type}, json_build_object('id', ${type} || n), clock_timestamp()
    FROM generate_series(1, ${count}::int) AS n`;
  await write('job.done', EVENTS);
  await until('the first events of jobs', () => hooks.at('/hook').length > 100);

  const delays: number[] = [];
  const payments = () => hooks.at('/hook').filter((request) => eventOf(request).type === 'payment.paid');
  while (delays.length < PAYMENTS) {
    const startedAt = performance.now();
    await write('payment.paid', 1);
    await until('the event of the payment', () => payments().length > delays.length);
    delays.push(Math.round(performance.now() - startedAt));
  }

  const arrived = hooks.at('/hook').length;
  console.log(
    `of ${EVENTS} events of jobs ${arrived - PAYMENTS} had arrived; delays of those of payments: ${delays.join(', ')} ms`,
  );
  expect(arrived).toBeLessThan(EVENTS);
  expect(Math.max(...delays)).toBeLessThan(MAX_DELAY_MS);
  expect((await hooks.deliveriesOf(hook, '?event=payment.paid&status=delivered')).length).toBeGreaterThan(0);
});
