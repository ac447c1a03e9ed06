import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type Person, register, runToEnd, submitJob, until, type World } from '../harness/index.js';

let world: World;
let person: Person;

beforeAll(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  await world.worker();
});
afterAll(() => world.end());

/** Resolves when the message of a recipient has the status. */
const has = (path: string, to: string, status: string) =>
  until(
    () => `${to} to be ${status}`,
    async () => {
      const { body } = await person.get(path);
      return body.some((message: { to: string; status: string }) => message.to === to && message.status === status);
    },
  );

const suppressed = async () =>
  (await person.get('/org/suppressions')).body.map(({ address }: { address: string }) => address);

it('emails of jobs and direct emails are delivered, bounce and are complained of, by their addresses', async () => {
  const at = (name: string) => `${name}@sandbox.jobline.test`;
  for (const name of ['delivered', 'BOUNCED', 'slow']) {
    await submitJob(person, 'send_email', { to: at(name), subject: 'Hello', body: 'Hello' });
  }
  const direct = { to: at('complained'), subject: 'Hello', body: 'Hello' };
  expect((await person.post('/email/send', direct)).status).toBe(200);

  await has('/email/messages', at('delivered'), 'delivered');
  await has('/email/messages', at('BOUNCED'), 'bounced');
  await has('/email/messages', at('complained'), 'complained');
  await has('/email/messages', at('slow'), 'delivered');
  expect((await suppressed()).sort()).toEqual([at('bounced'), at('complained')]);
});

it('texts to a phone are delivered, fail or are never reported, by its last digits', async () => {
  const phones = ['+254700000001', '+254700000002', '+254700000003', '+254700000004'] as const;
  for (const to of phones) await submitJob(person, 'send_sms', { to, message: 'Hello' });
  await submitJob(person, 'send_chat_message', { to: '254700000002', message: 'Hello' });

  await has('/sms/messages', phones[0], 'delivered');
  await has('/sms/messages', phones[1], 'failed');
  await has('/chat/messages', '254700000002', 'failed');
  const { body } = await person.get('/sms/messages');
  const others = body.filter(({ to }: { to: string }) => to === phones[2] || to === phones[3]);
  expect(others).toMatchObject([
    { status: 'sent', provider: 'sandbox' },
    { status: 'sent', provider: 'sandbox' },
  ]);
});

it('a payment is paid, is refused, stays open or has an unknown effect, by the last digits of its phone', async () => {
  const ask = (phone: string) => runToEnd(person, 'mobile_money_stk', { phone, amount: 100, ref: 'INV-1' });
  const paid = await ask('254700000001');
  const refused = await ask('254700000002');
  const silent = await ask('254700000003');
  const unknown = await ask('254700000009');

  expect(unknown.result.error).toMatchObject({ code: 'unknown_effect' });
  for (const { job, result } of [paid, refused, silent]) {
    expect(job.status).toBe('done');
    expect(result.result).toMatchObject({ provider: 'sandbox', payment: null });
  }
  const payment = async ({ job }: typeof paid) => (await person.get(`/jobs/${job.id}/result`)).body.result.payment;
  await until('the outcomes', async () => (await payment(paid)) !== null && (await payment(refused)) !== null);
  expect(await payment(paid)).toMatchObject({ status: 'paid', receipt: 'SANDBOX0001' });
  expect(await payment(refused)).toMatchObject({ status: 'failed' });
  expect(await payment(silent)).toBeNull();
});
