import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks, DOCS } from '../architecture/markdown.js';
import { createWorld, finishedJob, type Person, register, until, type World } from '../harness/index.js';

const TITLE = 'From order to receipt';
const [order = ''] = codeBlocks(DOCS.orderToReceipt, TITLE, 'json');
const NAMES = ['payment', 'receipt', 'email', 'text', 'team'];

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  await world.worker();
});
afterAll(() => world.end());

/** Submits the order of the page, changed by the `sed` of a story if there is one. Resolves with how its jobs end. */
async function endOf(n: number, story?: string) {
  const [commands = ''] = story ? codeBlocks(DOCS.orderToReceipt, story, 'sh') : [''];
  const changes = [...commands.matchAll(/s([/#])(.*?)\1(.*?)\1g?/g)];
  expect(changes).toHaveLength(story ? 2 : 0);
  const body = changes.reduce((text, [, , from = '', to = '']) => text.replaceAll(from, to), order);
  expect(await person.post('/jobs/batch', JSON.parse(body))).toMatchObject({ status: 202 });
  const stories = await Promise.all(NAMES.map((name) => finishedJob(person, `order-${n}-${name}`)));
  return stories.map(({ job, result }) => result.error?.code ?? job.status);
}

const messages = async (path: string) => (await person.get(path)).body;

it('the order is paid, and its receipt is made, emailed and announced', async () => {
  expect(await endOf(17)).toEqual(['done', 'done', 'done', 'done', 'done']);
  expect((await person.get('/jobs/order-17-receipt/artifacts')).body).toMatchObject([{ name: 'receipt-A-17.pdf' }]);
  await until('the email to be delivered', async () => (await messages('/email/messages'))[0]?.status === 'delivered');
  expect(await messages('/sms/messages')).toHaveLength(1);
});

it('an order that is not paid ends without a receipt and without messages', async () => {
  const before = await messages('/email/messages');

  const failed = 'dependency_failed';
  expect(await endOf(18, 'The customer does not pay')).toEqual(['done', failed, failed, failed, failed]);
  expect(await messages('/email/messages')).toEqual(before);
});

it('a receipt that cannot be made says where its payload is wrong', async () => {
  const failed = 'dependency_failed';
  expect(await endOf(19, 'The receipt cannot be made')).toEqual(['done', 'invalid_payload', failed, failed, failed]);
  const { error } = (await person.get('/jobs/order-19-receipt/result')).body;
  expect(error.message).toContain('payload.data.reference');
});

it('an email that comes back suppresses its address', async () => {
  expect(await endOf(20, 'The email comes back')).toEqual(['done', 'done', 'done', 'done', 'done']);
  await until('the email to bounce', async () => (await messages('/email/messages?limit=1'))[0]?.status === 'bounced');
  expect((await person.get('/org/suppressions')).body).toMatchObject([{ address: 'bounced@sandbox.jobline.test' }]);
});
