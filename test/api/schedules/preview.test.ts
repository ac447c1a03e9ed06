import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, type World, watchBlockedLoop } from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterAll(() => world.end());

const preview = (body: object) => person.post('/schedules/preview', body);

it('the next times of a cron expression follow each other in its time zone, with a sentence', async () => {
  const { status, body } = await preview({ cron: '30 9 * * MON-FRI', timezone: 'Europe/Berlin', count: 20 });
  expect(status).toBe(200);
  expect(body.description).toBe('At 09:30, Monday through Friday (Europe/Berlin)');
  expect(body.times).toHaveLength(20);
  expect(body.times).toEqual([...body.times].sort());
  for (const at of body.times) {
    const local = new Date(at).toLocaleString('en-GB', {
      timeZone: 'Europe/Berlin',
      weekday: 'short',
      timeStyle: undefined,
      hour: '2-digit',
      minute: '2-digit',
    });
    expect(local).toMatch(/^(Mon|Tue|Wed|Thu|Fri),? 09:30$/);
  }
});

it('a period counts from now, and the number of times has a default', async () => {
  const before = Date.now();
  const { body } = await preview({ every_seconds: 90 });
  const times = body.times.map(Date.parse);
  expect(body.description).toBe('Every 90 seconds');
  expect(times).toHaveLength(5);
  expect(times[0]).toBeGreaterThanOrEqual(before + 90_000 - 1_000);
  expect(times.slice(1).every((at: number, n: number) => at - times[n] === 90_000)).toBe(true);
});

it('a plan that never comes has no times, and the sentence says it', async () => {
  const { body } = await preview({ cron: '0 0 30 2 *' });
  expect(body).toEqual({ times: [], description: expect.stringContaining('never') });
});

it.each([
  ['no timing', {}, ['cron']],
  ['two timings', { cron: '@daily', every_seconds: 60 }, ['every_seconds']],
  ['a bad cron', { cron: '61 * * * *' }, ['cron']],
  ['a bad period', { every_seconds: 1 }, ['every_seconds']],
  ['a bad time zone', { cron: '@daily', timezone: 'x' }, ['timezone']],
  ['no times', { cron: '@daily', count: 0 }, ['count']],
  ['too many times', { cron: '@daily', count: 21 }, ['count']],
  ['a field of a schedule', { cron: '@daily', name: 'x' }, ['name']],
])('%s is a 400', async (_what, body, paths) => {
  expectError(await preview(body), 400, 'validation_failed', paths);
});

it('no expression blocks the event loop', async () => {
  const expressions = [
    '0 0 30 2 *',
    '*/5 * * 31 2,4,6,9,11 *',
    '0 0 29 2 *',
    '58,2 59,0 23,0 2-30/2 * *',
    `${'1-59,'.repeat(50)}1 * * * *`,
    `${'*/1,'.repeat(60)}1 * * *`,
    `0 0 ${'L,'.repeat(100)}L * *`,
    '* * * * * * '.repeat(20),
    '@'.repeat(256),
    ','.repeat(256),
    ' '.repeat(1_000_000),
    '1'.repeat(1_000_000),
  ];
  const blocked = watchBlockedLoop();
  for (const cron of expressions) {
    const { status } = await preview({ cron, timezone: 'Africa/Cairo', count: 20 });
    expect([200, 400]).toContain(status);
  }
  expect(blocked.longestMs()).toBeLessThan(200 * Number(process.env.TEST_SLOWNESS ?? 1));
  blocked.stop();
});
