import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  makeDue,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  await world.worker({ catalogue: createCatalogue([]) });
});
afterAll(() => world.end());

it('a job of a type that no live worker has fails at once with a warning and uses up no retry', async () => {
  const story = await runToEnd(person, 'nobody:has.this-one', {}, { max_retries: 5 });

  expect(story.job).toMatchObject({ status: 'failed', retries: 0, max_retries: 5 });
  expect(linesOf(story)).toEqual(['1 warn no handler is registered for type "nobody:has.this-one"']);
  expect(story.result.error).toEqual({
    code: 'no_handler',
    message: 'no handler is registered for type "nobody:has.this-one"',
  });
});

it('a worker without the handler leaves the job to one that has it', async () => {
  const greeting = defineHandler({ type: 'greet', run: async () => 'hello' });
  await world.worker({ catalogue: createCatalogue([greeting]) });

  const ids = await Promise.all(Array.from({ length: 5 }, () => submitJob(person, 'greet', {})));

  for (const id of ids) {
    const story = await finishedJob(person, id);
    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect(story.logs.map((line) => line.attempt)).toEqual([1, 1]);
  }
});

// Where jobs wait whose type nobody knew when they came, only workers without the handler may take them.
it('a job of a type that lives in another queue only finds its way there', async () => {
  const shrinking = defineHandler({ type: 'shrink', queue: 'cpu', run: async () => 'small' });
  const runAt = new Date(Date.now() + 3_600_000).toISOString();
  const id = await submitJob(person, 'shrink', {}, { run_at: runAt });
  expect((await world.db.job.findFirstOrThrow({ where: { id } })).queue).toBe('io');
  await world.worker({ catalogue: createCatalogue([shrinking]), queues: ['cpu'] });
  await until('it to take part', () => world.db.worker.count({ where: { types: { has: 'shrink' } } }));
  await makeDue(world.db, id);

  const story = await finishedJob(person, id);

  expect(story.job).toMatchObject({ status: 'done', retries: 0 });
  expect((await world.db.job.findFirstOrThrow({ where: { id } })).queue).toBe('cpu');
  expect(story.logs.map((line) => line.attempt)).toEqual([1, 1]);
});
