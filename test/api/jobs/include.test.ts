import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  submitJob,
  type TestApi,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
});
afterAll(() => world.end());

const jobs = async (query: string) => (await person.get(`/jobs?${query}`)).body;

it('a list includes payloads and results on request', async () => {
  await world.worker({ queues: ['cpu'] });
  person = await register(api.call);
  const payload = { text: 'A queue stores work. A worker does it later.' };
  const done = await submitJob(person, 'ai_summarize', payload);
  await finishedJob(person, done);
  const pending = await submitJob(person, 'a', { n: 1 }, { run_at: new Date(Date.now() + 3_600_000).toISOString() });

  const [first, second] = await jobs('include=payload,result');
  expect(first).toMatchObject({ id: pending, payload: { n: 1 }, result: null });
  expect(first).not.toHaveProperty('truncated');
  expect(second).toMatchObject({ id: done, payload, result: { summary: expect.any(String) } });
  expect((await jobs('include=payload'))[0]).not.toHaveProperty('result');
  expect((await jobs('include=result'))[0]).not.toHaveProperty('payload');
  expect((await jobs(''))[0]).not.toHaveProperty('payload');
  for (const include of ['', 'payload,', 'logs', 'payload,payload'])
    expectError(await person.get(`/jobs?include=${include}`), 400, 'validation_failed');
});

it('a page includes at most 1 MiB, and names the jobs whose values are missing', async () => {
  person = await register(api.call);
  for (let n = 0; n < 5; n++) await submitJob(person, 'a', { n, text: 'x'.repeat(300_000) });
  const page = await jobs('include=payload');

  expect(page.map(({ payload }: { payload: { n: number } | null }) => payload?.n ?? null)).toEqual([
    4,
    3,
    2,
    null,
    null,
  ]);
  expect(page.map(({ truncated }: { truncated?: true }) => truncated === true)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
  expect((await jobs('include=payload&limit=2')).map(({ payload }: { payload: { n: number } }) => payload.n)).toEqual([
    4, 3,
  ]);
});
