import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  type NameServer,
  type Person,
  type Receiver,
  type Reply,
  register,
  startNameServer,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let names: NameServer;
let api: TestApi;
let person: Person;
/** The worker may call it. */
let allowed: Receiver;
let reply: Reply;
/** The worker must not call it. */
let victim: Receiver;

beforeAll(async () => {
  world = await createWorld();
  names = await startNameServer();
  names.point('private.test', '127.0.0.1');
  names.point('mixed.test', '8.8.8.8', '127.0.0.1');
  names.point('mapped.test', '::ffff:127.0.0.1');
  api = await world.api();
  allowed = await world.receiver(() => reply);
  victim = await world.receiver();
  await world.worker({ queues: ['events'], allowHosts: [allowed.host], dnsServers: [names.address] });
});
beforeEach(async () => {
  reply = {};
  person = await register(api.call);
});
afterAll(async () => {
  await world.end();
  await names.close();
});

it.each([
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '017700000001', '0', '127。0。0。1'],
  ...['[::1]', '[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['169.254.169.254', '10.0.0.1', '[fe80::1]', '[fd00:ec2::254]'],
  ...['localhost', 'LOCALHOST.', 'sub.localhost', 'private.test', 'mixed.test', 'mapped.test'],
])('no event is delivered to http://%s, neither to a webhook nor to a callback', async (host) => {
  const url = `http://${host}:${new URL(victim.url).port}/`;

  for (const delivery of await attemptedDeliveries(url)) {
    expect(delivery).toMatchObject({
      status: 'pending',
      last_status: null,
      last_error: expect.stringContaining('is not on the public internet, and only public addresses may be called'),
    });
  }
  expect(victim.received).toEqual([]);
});

it('no redirect is followed, neither by a webhook nor by a callback', async () => {
  reply = { status: 307, headers: { location: victim.url } };

  for (const delivery of await attemptedDeliveries(allowed.url)) {
    expect(delivery).toMatchObject({ status: 'pending', last_status: 307 });
  }
  expect(victim.received).toEqual([]);
});

it('an event is delivered to an allowed host', async () => {
  for (const delivery of await attemptedDeliveries(allowed.url)) {
    expect(delivery).toMatchObject({ status: 'delivered', last_status: 200 });
  }
});

/** The deliveries to a webhook and to a callback of this URL, after their first attempts. */
async function attemptedDeliveries(url: string): Promise<object[]> {
  const hook = await person.post('/org/webhooks', { url, events: ['job.done'] });
  expect(hook.status, hook.text).toBe(201);
  await person.post(`/org/webhooks/${hook.body.id}/test`);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const job = await submitJob(person, 'webhook', WEBHOOK_PAYLOAD, { run_at: later, callback_url: url });
  await person.post(`/jobs/${job}/cancel`);

  const attempted = async (path: string) => {
    const [delivery] = (await person.get(path)).body;
    return delivery?.attempts > 0 && delivery;
  };
  return Promise.all([
    until('the webhook', () => attempted(`/org/webhooks/${hook.body.id}/deliveries`)),
    until('the callback', () => attempted(`/jobs/${job}/callbacks`)),
  ]);
}

/** Of a job that does not run. */
const WEBHOOK_PAYLOAD = { url: 'https://example.com/', payload: {} };
