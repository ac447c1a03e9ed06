import { createCatalogue, defineHandler, PermanentError } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  type TestApi,
  until,
  type World,
} from '../../harness/index.js';
import { expectError } from '../support.js';

interface Found {
  kind: string;
  id: string;
  title: string;
  status?: string;
  at: string;
  url: string;
}

const fails = defineHandler({
  type: 'fails',
  async run(payload) {
    throw new PermanentError(String(payload.message));
  },
});

let world: World;
let api: TestApi;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  api = await world.api();
  // Jobs of other types stay pending.
  await world.worker({ catalogue: createCatalogue([fails]) });
  person = await register(api.call);
  await person.patch('/org/settings', { unknown_types: 'wait' });
});
afterAll(() => world.end());

async function find(q: string, by: Pick<Person, 'get'> = person): Promise<Found[]> {
  const { status, body, text } = await by.get(`/search?q=${encodeURIComponent(q)}`);
  if (status !== 200) throw new Error(`GET /search: ${status} ${text}`);
  return body;
}

const idsOf = async (q: string) => (await find(q)).map(({ id }) => id);

/** Waits until the job is indexed. */
async function submit(body: object): Promise<string> {
  const { id } = (await person.post('/jobs', { type: 'sms-report', payload: {}, ...body })).body;
  await indexed(id);
  return id;
}

async function indexed(id: string): Promise<void> {
  const isIndexed = () => world.db.$queryRaw<unknown[]>`
    SELECT 1 FROM search_entries WHERE key = (SELECT key FROM submitted_jobs WHERE id = ${id})`;
  await until(`${id} to be indexed`, async () => (await isIndexed()).length > 0);
}

describe('GET /search', () => {
  it('finds a job by its id, the beginning of it, its tags and its key, without case and accents', async () => {
    const id = await submit({ id: 'Order-7001', tags: ['region:EU'], key: 'Café Müller' });

    for (const q of ['Order-7001', 'ORDER-7', '7001', 'region:eu', 'eu ord', 'cafe mull', 'MÜLLER', 'café müller']) {
      expect(await idsOf(q), q).toContain(id);
    }
    for (const q of ['rder', 'order-7002', 'cafe order-7002', 'or%x', 'order_7001', '%%', '__']) {
      expect(await idsOf(q), q).not.toContain(id);
    }
    expect((await find('order-7001'))[0]).toEqual({
      kind: 'job',
      id,
      title: 'sms-report',
      status: 'pending',
      at: expect.any(String),
      url: '/job/Order-7001',
    });
  });

  it('finds a job by the beginning of its generated id, however long', async () => {
    const id = await submit({ key: 'generated-7002' });

    for (const length of [8, 9, 12, 13, 20, 35, 36])
      expect(await idsOf(id.slice(0, length)), `${length}`).toContain(id);
    expect((await idsOf(id.toUpperCase()))[0]).toBe(id);
  });

  it.each([
    [
      'send_email',
      { to: 'Ada.Lovelace@example.com', cc: ['bob-7003@copies.example'], subject: 'Rechnung Nº 7003', body: 'x' },
      ['ada.lovelace@EXAMPLE.com', 'lovel', 'bob-7003', 'rechn 7003', 'Rechnung Nº 7003'],
    ],
    [
      'send_sms',
      { to: '+254700007004', message: 'secret-words' },
      ['+254700007004', '254700007004', '00254 700 007-004', '(254) 7000070'],
    ],
    ['mobile_money_stk', { phone: '254700007005', amount: 10, ref: 'a' }, ['+254700007005', '+254 7000 07005']],
    ['webhook', { url: 'https://hooks-7006.example.com/path', payload: {} }, ['hooks-7006', 'hooks-7006.example.com']],
    ['send_chat_message', { to: '+254700007007', message: 'secret-words' }, ['254700007007']],
  ])('finds a job of the type %s by whom or what it is about', async (type, payload, searches) => {
    const id = await submit({ type, payload });

    for (const q of searches) expect(await idsOf(q), q).toContain(id);
    expect(await find('secret-words')).toEqual([]);
    expect(await find('path')).toEqual([]);
  });

  it('finds a failed job by the words of its error, as long as it is failed', async () => {
    const { id } = (await person.post('/jobs', { type: 'fails', payload: { message: 'Der Kühlschrank brennt' } })).body;
    await finishedJob(person, id);
    await until('the error to be found', async () => (await idsOf('kuhlschr brennt')).includes(id));

    await world.db.$executeRaw`UPDATE finished_jobs SET finished_at = now() - interval '31 days' WHERE id = ${id}`;
    expect(await find('kuhlschrank')).toEqual([]);
  });

  it('finds messages by recipient and subject, with the page of their channel', async () => {
    const email = { to: 'grace-7008@example.com', subject: 'Compilers are here', body: 'secret-words' };
    const { id } = (await person.post('/email/send', email)).body;
    await until('the email to be found', async () => (await idsOf('compil')).includes(id));
    const { id: smsId } = (await person.post('/sms/send', { to: '+254700007009', message: 'secret-words' })).body;
    await until('the SMS to be found', async () => (await idsOf('0025470 0007009')).includes(smsId));

    expect((await find('grace-7008@example.com'))[0]).toMatchObject({
      kind: 'message',
      title: email.subject,
      url: `/email?id=${id}`,
    });
    expect((await find('+254700007009'))[0]).toMatchObject({
      kind: 'message',
      title: '+254700007009',
      url: `/sms?id=${smsId}`,
    });
    expect(await find('secret-words')).toEqual([]);
  });

  it('finds a job by what a change has put into its payload, and no more by what was there', async () => {
    const run_at = new Date(Date.now() + 3_600_000).toISOString();
    const id = await submit({ type: 'send_sms', payload: { to: '+254700007010', message: 'a' }, run_at });
    await person.patch(`/jobs/${id}`, { payload: { to: '+254700007011', message: 'a' } });

    await until('the new number to be found', async () => (await idsOf('254700007011')).includes(id));
    expect(await find('254700007010')).toEqual([]);
  });

  it('puts an entry that equals the search first, then names, then the newest', async () => {
    const tagged = await submit({ tags: ['seventy12'] });
    for (let n = 0; n < 3; n++) await submit({ tags: ['seventy12-more'] });
    const limit = (await person.put('/org/limits/seventy12-limit', { concurrency: 1 })).body.name;

    const found = await find('SEVENTY12');
    expect(found[0]?.id).toBe(tagged);
    expect(found[1]).toMatchObject({ kind: 'limit', id: limit, url: `/limits?name=${limit}` });
    const times = found.slice(2).map(({ at }) => at);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('puts whole words of what an entry is about before other words', async () => {
    const email = { to: 'grace-7016@example.com', subject: 'Order #7017 is on its way', body: 'secret-words' };
    const { id } = (await person.post('/email/send', email)).body;
    await until('the email to be found', async () => (await idsOf('7017')).includes(id));
    const keyed = await submit({ key: 'customer-7017' });
    const begun = await submit({ tags: ['70170-more'] });

    const found = await idsOf('#7017');
    const places = [id, keyed, begun].map((one) => found.indexOf(one));
    expect(places).not.toContain(-1);
    expect(Math.min(...places)).toBe(places[0]);
  });

  it('returns at most 30 entries', async () => {
    const jobs = Array.from({ length: 70 }, (_, n) => ({
      type: 'sms-report',
      payload: {},
      tags: ['many7013'],
      key: `many7013-${n}`,
    }));
    const { body } = await person.post('/jobs/batch', { jobs });
    await indexed(body.jobs[69].id);

    expect(await find('many7013')).toHaveLength(30);
    expect(await find('many7')).toHaveLength(30);
  });

  it('finds what two frequent words have together', async () => {
    const jobs = Array.from({ length: 800 }, (_, n) => ({
      type: 'sms-report',
      payload: {},
      tags: n % 2 ? ['odd7014'] : ['even7014'],
    }));
    await person.post('/jobs/batch', { jobs });
    const id = await submit({ tags: ['odd7014', 'even7014'] });
    const { body } = await person.post('/jobs/batch', { jobs });
    await indexed(body.jobs[799].id);

    expect(await idsOf('even70 odd70')).toEqual([id]);
  });

  it.each([
    ['', 'is missing'],
    ['?q=', 'is empty'],
    ['?q=a', 'has one character'],
    ['?q=%20%20a', 'has one character and spaces'],
    [`?q=${'a'.repeat(201)}`, 'is too long'],
    ['?q=ab%00', 'has U+0000'],
    ['?q=ab&limit=1', 'has another parameter'],
  ])('rejects a search %s that %s', async (query) => {
    expectError(await person.get(`/search${query}`), 400, 'validation_failed');
  });

  it.each([
    "'; DROP TABLE jobs; --",
    '\\',
    '%',
    '__',
    '🦄🦄',
    'ﷺﷺ',
    'a'.repeat(200),
    'zq '.repeat(66),
    '0'.repeat(200),
    '--------',
    '[]().+',
    '\u0301\u0301',
  ])('answers a search for %j', async (q) => {
    expect(await find(q.padEnd(2, q))).toEqual([]);
  });
});
