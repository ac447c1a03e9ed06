import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

const LARGE = 'x'.repeat(100 * 1024);

let world: World;
let one: Person;
let another: Person;
/** Names of the payloads whose handlers run, in the order of their starts, with functions that end them. */
const running = new Map<string, () => void>();

const handlers = [
  defineHandler<{ name: string }>({
    type: 'hold',
    run: ({ name }, { signal }) =>
      new Promise<string>((resolve, reject) => {
        running.set(name, () => resolve(name));
        signal.addEventListener('abort', () => reject(signal.reason));
      }).finally(() => running.delete(name)),
  }),
  defineHandler<{ text: string }>({ type: 'echo', run: async ({ text }) => text }),
];

beforeAll(async () => {
  world = await createWorld();
  const { call } = await world.api();
  one = await register(call);
  another = await register(call);
  // Capacity for two of the large payloads.
  await world.alone.worker({ catalogue: createCatalogue(handlers), payloadBytes: 250 * 1024 });
});
afterAll(() => world.end());
afterEach(endAll);

function endAll(): void {
  for (const end of running.values()) end();
}

const holdLarge = (person: Person, name: string) => submitJob(person, 'hold', { name, text: LARGE });
const names = () => [...running.keys()].sort();

describe('large payloads', () => {
  it('only some large payloads run at the same time, while small ones of others run at once', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push(await holdLarge(one, name));
    await until('two of them to run', () => running.size === 2);
    const small = await submitJob(another, 'hold', { name: 'small' });
    await until('the small one to run', () => running.has('small'));

    expect(running.size).toBe(3);
    running.get('small')?.();
    expect((await finishedJob(another, small)).job.status).toBe('done');

    const first = names()[0] ?? '';
    running.get(first)?.();
    await until('the next one to run', () => running.size === 2 && !running.has(first));
    const end = setInterval(endAll, 10);
    const stories = await Promise.all(ids.map((id) => finishedJob(one, id)));
    clearInterval(end);
    expect(stories.map(({ job }) => job.status)).toEqual(['done', 'done', 'done', 'done']);
    expect(stories.map(({ logs }) => logs.length)).toEqual([2, 2, 2, 2]);
  });

  it('a job with a large payload can be canceled while it waits for memory', async () => {
    const ids = [];
    for (const name of ['e', 'f', 'g']) ids.push(await holdLarge(one, name));
    await until('two of them to run', () => running.size === 2);
    await until('the third to be claimed', async () => {
      const { body } = await one.get('/jobs?status=processing');
      return body.length === 3;
    });
    const waiting = ['e', 'f', 'g'].findIndex((name) => !running.has(name));

    await one.post(`/jobs/${ids[waiting]}/cancel`);

    const story = await finishedJob(one, ids[waiting] ?? '');
    expect(story.result.error.code).toBe('canceled');
    expect(running.size).toBe(2);
  });

  it('a large payload reaches its handler unchanged', async () => {
    const text = `${LARGE}"\\ž`;

    expect((await runToEnd(one, 'echo', { text })).result.result).toBe(text);
  });
});
