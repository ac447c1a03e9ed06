import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { type Answered, createWorld, finishedJob, type Person, register, until, type World } from '../harness/index.js';

const TITLE = 'From order to receipt';
const [order = ''] = codeBlocks(DOCS.start, TITLE, 'json');

let world: World;
let person: Person;
/** Calls as the demo's API key. */
let get: (path: string) => Promise<Answered>;
let folder: string;

beforeAll(async () => {
  world = await createWorld();
  const { call } = await world.api();
  person = await register(call);
  const scopes = ['jobs:read', 'jobs:write', 'messages:read'];
  const { key } = (await person.post('/org/api-keys', { name: 'demo', scopes })).body;
  get = (path) => call('GET', path, { key });
  folder = mkdtempSync(join(tmpdir(), 'jobline-order-'));
  writeFileSync(join(folder, 'order.json'), order);
  await world.worker();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world.end();
});

/** Submits the order of the page, changed by a `sed` of a story if there is one. Resolves with how its jobs end. */
async function endOf(run: string, story?: string, nth = 0) {
  const commands = story === undefined ? 'cat order.json' : codeBlocks(DOCS.start, story, 'sh')[nth];
  const [change = ''] = commands?.split('\n') ?? [];
  const body = execFileSync('sh', ['-c', change.replace(/\\$/, '')], { cwd: folder, encoding: 'utf8' });
  expect(body === order).toBe(story === undefined);
  expect(await person.post('/jobs/batch', JSON.parse(body))).toMatchObject({ status: 202 });
  const stories = await Promise.all(
    JSON.parse(body).jobs.map(({ id }: { id: string }) => {
      expect(id).toContain(`order-${run}-`);
      return finishedJob(person, id);
    }),
  );
  return stories.map(({ job, result }) => result.error?.code ?? job.status);
}

const messages = async (path: string) => (await get(path)).body;

it('the order is paid, and its receipt is made, emailed and announced', async () => {
  expect(await endOf('17')).toEqual(['done', 'done', 'done', 'done', 'done']);
  expect((await person.get('/jobs/order-17-receipt/artifacts')).body).toMatchObject([{ name: 'receipt-A-17.pdf' }]);
  await until('the email to be delivered', async () => (await messages('/email/messages'))[0]?.status === 'delivered');
  expect(await messages('/sms/messages')).toHaveLength(1);
});

it('an order that is not paid ends without a receipt and without messages', async () => {
  const before = await messages('/email/messages');

  const failed = 'dependency_failed';
  expect(await endOf('18', 'The customer does not pay')).toEqual(['done', failed, failed, failed, failed]);
  expect(await messages('/email/messages')).toEqual(before);
});

it('a receipt that cannot be made says where its payload is wrong', async () => {
  const failed = 'dependency_failed';
  expect(await endOf('19', 'The receipt cannot be made')).toEqual(['done', 'invalid_payload', failed, failed, failed]);
  const { error } = (await person.get('/jobs/order-19-receipt/result')).body;
  expect(error.message).toContain('payload.data.reference');
});

it('the jobs that failed are submitted again with another payload, and the payment is not repeated', async () => {
  expect(await endOf('19', 'The receipt cannot be made', 1)).toEqual(['done', 'done', 'done', 'done', 'done']);
  expect((await get('/jobs?type=mobile_money_stk')).body).toHaveLength(3);
});

it('an email that comes back suppresses its address', async () => {
  expect(await endOf('20', 'The email comes back')).toEqual(['done', 'done', 'done', 'done', 'done']);
  await until('the email to bounce', async () => (await messages('/email/messages?limit=1'))[0]?.status === 'bounced');
  expect((await person.get('/org/suppressions')).body).toMatchObject([{ address: 'bounced@sandbox.jobline.test' }]);
});
