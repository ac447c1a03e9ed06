import { createCatalogue, defineHandler } from '@jobline/handlers';
import type { RunningWorker } from '@jobline/worker/start';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
let worker: RunningWorker;
/** How often a record failed and was repeated, and how often one was reduced. */
let failures: number;
let reduced: number;
let runs: number;

/** Values that cannot be converted to text. */
const ODD_VALUES: Record<string, () => unknown> = {
  'an error whose message is not text': () => Object.assign(new Error('x'), { message: Object.create(null) }),
  'an object that cannot be inspected': () =>
    new Proxy(
      {},
      {
        getPrototypeOf() {
          throw new Error('not readable');
        },
      },
    ),
  'an error whose message throws': () =>
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('not readable');
      },
    }),
};

const catalogue = createCatalogue([
  defineHandler({
    type: 'traced',
    async run(_payload, { log }) {
      log('info', 'a line of the handler');
      return { run: ++runs };
    },
  }),
  defineHandler({
    type: 'failing-once',
    async run(_payload, { attempt }) {
      if (attempt === 1) throw new Error('a message that Postgres rejects');
    },
  }),
  defineHandler<{ what: string }>({
    type: 'odd',
    async run({ what }) {
      throw ODD_VALUES[what]?.();
    },
  }),
]);

beforeAll(async () => {
  world = await createWorld();
  await world.db.$executeRawUnsafe(`
    CREATE FUNCTION refuse_line() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = TG_ARGV[0], MESSAGE = 'rejected by a test'; END $$`);
  person = await register((await world.api()).call);
  worker = await world.worker({ catalogue, leaseMs: 2_000 });
  worker.events.on('step.failed', ({ step }) => {
    if (step === 'record') failures++;
  });
  worker.events.on('attempt.reduced', () => {
    reduced++;
  });
});
afterAll(() => world.end());

beforeEach(() => {
  failures = 0;
  reduced = 0;
  runs = 0;
});
afterEach(accept);

/** From now on Postgres rejects such lines with this SQLSTATE. */
async function refuse(state: string, when: string): Promise<void> {
  await world.db.$executeRawUnsafe(`
    CREATE TRIGGER refuse_line BEFORE INSERT ON job_logs FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse_line('${state}')`);
}

async function accept(): Promise<void> {
  await world.db.$executeRawUnsafe('DROP TRIGGER IF EXISTS refuse_line ON job_logs');
}

describe('finished attempts are recorded, and do not run again, when Postgres has recovered from', () => {
  it.each([
    ['a full disk', '53100'],
    ['an internal error', 'XX000'],
    ['a missing privilege', '42501'],
    ['a pooler that lost a prepared statement', '26000'],
    ['an error of a trigger', 'P0001'],
  ])('%s', async (_what, state) => {
    await refuse(state, "NEW.status = 'done'");
    const ids = await Promise.all([1, 2, 3].map(() => submitJob(person, 'traced', {})));
    await until('their records to have failed repeatedly', () => failures >= 2 * ids.length);
    const before = await Promise.all(ids.map((id) => person.get(`/jobs/${id}`)));
    await accept();
    const stories = await Promise.all(ids.map((id) => finishedJob(person, id)));

    expect(before.map(({ body }) => body.status)).toEqual(['processing', 'processing', 'processing']);
    expect(stories.map(({ job }) => [job.status, job.retries])).toEqual(ids.map(() => ['done', 0]));
    expect(stories.map(({ result }) => result.result.run).sort()).toEqual([1, 2, 3]);
    for (const story of stories) expect(linesOf(story)).toHaveLength(3);
    expect([runs, reduced]).toEqual([3, 0]);
  });
});

describe('data that Postgres rejects does not change the status of a job:', () => {
  const NOTICE = 'its result and last log entries could not be stored';

  it.each(['22P05', '23514', '54000'])('a job that succeeded is done without its lines (%s)', async (state) => {
    await refuse(state, 'NEW.status IS NULL');
    const story = await runToEnd(person, 'traced', {}, { max_retries: 3 });

    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect(story.result.result).toBeNull();
    expect(linesOf(story)).toEqual([
      '1 info attempt 1 started',
      expect.stringMatching(new RegExp(`^1 error attempt 1 succeeded in \\d+ ms; ${NOTICE}$`)),
    ]);
    expect([runs, reduced]).toEqual([1, 1]);
  });

  it('a job that succeeded is done even if no line is accepted', async () => {
    await refuse('23514', "NEW.status = 'done'");
    const story = await runToEnd(person, 'traced', {});

    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect([runs, reduced]).toEqual([1, 1]);
  });

  it('a job whose attempt failed is retried', async () => {
    await refuse('22021', "NEW.message LIKE '%that Postgres rejects%'");
    const story = await runToEnd(person, 'failing-once', {}, { max_retries: 1 });

    expect(story.job).toMatchObject({ status: 'done', retries: 1 });
    expect(linesOf(story)[1]).toMatch(
      new RegExp(`^1 error attempt 1 failed: ${NOTICE}; the next attempt is due at \\S+Z$`),
    );
  });
});

it.each(Object.keys(ODD_VALUES))('a handler that throws %s fails its job like any other', async (what) => {
  const story = await runToEnd(person, 'odd', { what });

  expect(story.result.error.code).toBe('handler_error');
  expect(linesOf(story)[1]).toMatch(/^1 error attempt 1 failed: .+; no attempt follows$/);
});

it('an attempt that ends because of an error in the worker is closed, and its job runs again', async () => {
  worker.events.once('attempt.started', () => {
    throw new Error('an error in the worker');
  });
  const story = await runToEnd(person, 'traced', {});

  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect(story.logs.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 2]);
});
