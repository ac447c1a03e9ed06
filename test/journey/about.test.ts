import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, finishedJob, type Person, register, submitJob, type World } from '../harness/index.js';

let world: World;
let person: Person;
let register1: () => Promise<Person>;

const LATER = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
const email = { to: 'Ada@Example.com', subject: 'Hi', body: 'text', cc: ['Bob@example.com'] };

beforeAll(async () => {
  world = await createWorld();
  const api = await world.api();
  register1 = () => register(api.call);
  const finder = defineHandler({ type: 'finder', run: async () => ({ email: 'found@example.com' }) });
  await world.worker({ catalogue: createCatalogue([...createCatalogue().values(), finder]), version: 'v1' });
});
beforeEach(async () => {
  person = await register1();
});
afterAll(() => world.end());

async function idsOf(query: Record<string, string>): Promise<string[]> {
  const answer = await person.get(`/jobs?${new URLSearchParams(query)}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.map(({ id }: { id: string }) => id);
}

const about = (text: string, more = {}) => idsOf({ about: text, ...more });

describe('a list of jobs by what they are about', () => {
  it('has the jobs whose recipient, phone or host is exactly the text, whatever its case, and no copies', async () => {
    const mail = await submitJob(person, 'send_email', email, LATER);
    const sms = await submitJob(person, 'send_sms', { to: '+254711000111', message: 'x' }, LATER);
    const hook = await submitJob(person, 'webhook', { url: 'https://Hooks.example.com/a', payload: {} }, LATER);
    const paid = { phone: '254711000111', amount: 1, ref: 'r' };
    const payment = await submitJob(person, 'mobile_money_stk', paid, LATER);
    await submitJob(person, 'custom', { to: 'ada@example.com' }, LATER);

    expect(await about('ADA@example.com')).toEqual([mail]);
    expect(await about('+254711000111')).toEqual([sms]);
    expect(await about('hooks.example.com')).toEqual([hook]);
    expect(await about('254711000111')).toEqual([payment]);
    expect([await about('bob@example.com'), await about('ada@example'), await about('nothing')]).toEqual([[], [], []]);
    person = await register1();
    expect(await about('ada@example.com')).toEqual([]);
  });

  it('combines with other filters, and its pages follow each other', async () => {
    const ids: string[] = [];
    for (const tags of [['a'], ['b'], ['a']]) {
      ids.unshift(await submitJob(person, 'send_email', email, { ...LATER, tags }));
    }
    const first = await person.get('/jobs?about=ada@example.com&limit=2');
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';

    expect([...first.body, ...(await person.get(next)).body].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(await about('ada@example.com', { tag: 'a', status: 'pending' })).toEqual([ids[0], ids[2]]);
    expect(await about('ada@example.com', { status: 'done' })).toEqual([]);
  });

  it('follows changes of the payload, reruns with another one, and the deletion of the job', async () => {
    const id = await submitJob(person, 'send_email', email, LATER);
    expect((await person.patch(`/jobs/${id}`, { payload: { ...email, to: 'eve@example.com' } })).status).toBe(200);
    expect([await about('ada@example.com'), await about('eve@example.com')]).toEqual([[], [id]]);

    await person.patch(`/jobs/${id}`, { run_at: null });
    await finishedJob(person, id);
    const again = await person.post(`/jobs/${id}/rerun`, { payload: { ...email, to: 'new@example.com' } });
    expect(await about('new@example.com')).toEqual([again.body.id]);

    expect((await person.delete(`/jobs/${id}`)).status).toBe(204);
    expect(await about('eve@example.com')).toEqual([]);
    expect(await world.db.jobAbout.count({ where: { about: 'to:eve@example.com' } })).toBe(0);
  });

  it('has a job whose recipient is the result of another job from its start on', async () => {
    const finder = await submitJob(person, 'finder', {});
    const payload = { ...email, to: { $from: finder, path: '/email' }, cc: undefined };
    const id = await submitJob(person, 'send_email', payload, { after: [finder] });
    await finishedJob(person, id);

    expect(await about('found@example.com')).toEqual([id]);
  });

  it('does not have a job whose recipient is redacted', async () => {
    const id = await submitJob(person, 'send_email', email);
    await finishedJob(person, id);
    expect(await about('ada@example.com')).toEqual([id]);

    const settings = (keys: string[]) => ({ redact: { payload_keys: keys, after_days: 0 } });
    const shown = async () => (await person.get('/jobs?detail=full')).body[0].about;
    expect((await person.patch('/org/settings', settings(['subject']))).status).toBe(200);
    expect([await about('ada@example.com'), await shown()]).toEqual([[id], 'ada@example.com']);
    expect((await person.patch('/org/settings', settings(['to']))).status).toBe(200);
    expect([await about('ada@example.com'), await shown()]).toEqual([[], undefined]);
  });
});

it('on request, a listed job shows the first that it is about, and a finished one how long its latest attempt took', async () => {
  const hook = { url: 'https://Hooks.example.com/a', payload: {} };
  const sent = await submitJob(person, 'send_email', email, { tags: ['a'] });
  const later = await submitJob(person, 'webhook', hook, { ...LATER, tags: ['a'] });
  const custom = await submitJob(person, 'finder', { to: 'ada@example.com' }, { ...LATER, tags: ['a'] });
  await finishedJob(person, sent);

  // By a label, the list is read otherwise.
  for (const query of ['', '&tag=a', '&tag=a&status=done']) {
    const { body } = await person.get(`/jobs?detail=full${query}`);
    const one = (id: string) => body.find((job: { id: string }) => job.id === id);
    expect(one(sent)).toMatchObject({ about: 'ada@example.com', duration_ms: expect.any(Number) });
    if (query.includes('done')) continue;
    expect(one(later)).toMatchObject({ about: 'hooks.example.com' });
    for (const id of [later, custom]) expect(one(id)).not.toHaveProperty('duration_ms');
    expect(one(custom)).not.toHaveProperty('about');
  }
  for (const job of (await person.get('/jobs')).body) {
    expect(job).not.toHaveProperty('about');
    expect(job).not.toHaveProperty('duration_ms');
  }
});

it('a list by the version of the worker has the jobs whose latest attempt ran there', async () => {
  const id = await submitJob(person, 'finder', {});
  const pending = await submitJob(person, 'finder', {}, LATER);
  await finishedJob(person, id);

  expect(await idsOf({ worker_version: 'v1' })).toEqual([id]);
  expect(await idsOf({ worker_version: 'v1', status: 'done', type: 'finder' })).toEqual([id]);
  expect(await idsOf({ worker_version: 'v1', status: 'pending' })).toEqual([]);
  expect(await idsOf({ worker_version: 'v2' })).toEqual([]);
  expect(await idsOf({})).toEqual([pending, id]);
});

it('a failed job has its error in lists, and no other job has one', async () => {
  const failed = await submitJob(person, 'finder', {}, LATER);
  await person.post(`/jobs/${failed}/cancel`);
  const other = await submitJob(person, 'finder', {}, LATER);
  await finishedJob(person, failed);
  const errorsIn = async (query: string) =>
    Object.fromEntries(
      (await person.get(`/jobs?${query}`)).body.map((job: { id: string; error?: object }) => [job.id, job.error]),
    );

  const expected = { code: 'canceled', message: expect.any(String) };
  expect(await errorsIn('')).toEqual({ [failed]: expected, [other]: undefined });
  expect(await errorsIn('error_code=canceled')).toEqual({ [failed]: expected });
  expect(await errorsIn('type=finder&error_code=canceled')).toEqual({ [failed]: expected });
});
