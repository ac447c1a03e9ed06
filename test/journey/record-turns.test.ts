import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

const LINE = 'x'.repeat(8_000);
const DROPPED = 'later log lines are missing';

let world: World;
let api: TestApi;
let loud: Person;
let quiet: Person;
let isHeld: boolean;
let returned: number;
/** Called when a loud job returns. */
let onReturn: () => void;

/** Logs much at once, and ends. */
const logs = defineHandler<{ lines: number }>({
  type: 'logs',
  async run({ lines }, { log }) {
    await until('the jobs to be released', () => !isHeld);
    for (let n = 0; n < lines; n++) log('info', `${n} ${LINE}`);
    returned++;
    onReturn();
  },
});
/** Logs and ends after all of the others. */
const quick = defineHandler<{ after: number }>({
  type: 'quick',
  async run({ after }, { log }) {
    await new Promise<void>((resolve) => {
      onReturn = () => returned === after && resolve();
    });
    log('info', LINE);
  },
});

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  await world.alone.worker({ catalogue: createCatalogue([logs, quick]), queues: ['io'] });
});
beforeEach(async () => {
  [loud, quiet] = [await register(api.call), await register(api.call)];
  isHeld = true;
  returned = 0;
  onReturn = () => undefined;
});
afterAll(() => world.end());

async function submitLoud(count: number, lines: number): Promise<string[]> {
  const ids = [];
  for (let n = 0; n < count; n++) ids.push(await submitJob(loud, 'logs', { lines }));
  return ids;
}

async function allToRun(count: number): Promise<void> {
  const where = { status: 'processing' } as const;
  await until('all to run', async () => (await world.db.liveJob.count({ where })) === count);
}

it("a job's end is recorded before those of another organization that ended earlier with long logs", async () => {
  const ids = await submitLoud(16, 240);
  const id = await submitJob(quiet, 'quick', { after: 16 });
  await allToRun(17);
  isHeld = false;

  const { job } = await finishedJob(quiet, id);
  for (const one of ids) await finishedJob(loud, one);
  const finishedAt = { lt: new Date(job.updated_at) };
  expect(await world.db.finishedJob.count({ where: { orgId: loud.orgId, finishedAt } })).toBeLessThan(8);
  // All lines, and the beginning and the end of each attempt.
  expect(await world.db.jobLog.count({ where: { orgId: loud.orgId } })).toBe(16 * (240 + 2));
});

it('an organization whose logs would use too much memory loses lines, and the log says so; another one loses none', async () => {
  const ids = await submitLoud(8, 1_000);
  const id = await submitJob(quiet, 'quick', { after: 8 });
  await allToRun(9);
  isHeld = false;

  const stories = [];
  for (const one of ids) stories.push(await finishedJob(loud, one));
  const linesOf = (text: string) =>
    world.db.jobLog.count({ where: { orgId: loud.orgId, message: { contains: text } } });
  expect(await linesOf(LINE)).toBeLessThan(5_000);
  expect(await linesOf(DROPPED)).toBeGreaterThan(0);
  expect(stories.map(({ job }) => job.status)).toEqual(ids.map(() => 'done'));

  const { logs: lines } = await finishedJob(quiet, id);
  expect(lines.filter(({ message }) => message === LINE)).toHaveLength(1);
});
