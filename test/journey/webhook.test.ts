import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  linesOf,
  type Person,
  type Received,
  register,
  runToEnd,
  submitJob,
  until,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

it('a webhook whose receiver fails twice is done after two retries and three attempts with one webhook-id', async () => {
  const receiver = await world.receiver((_, n) => ({ status: n <= 2 ? 500 : 200, body: n <= 2 ? 'not yet' : '' }));
  await world.worker({ allowHosts: [receiver.host] });

  const story = await runToEnd(
    person,
    'webhook',
    { url: `${receiver.url}/hook`, payload: { n: 1 } },
    { max_retries: 3 },
  );

  expect(story.job).toMatchObject({ status: 'done', retries: 2 });
  expect(story.result.result).toEqual({ status: 200, body: null });
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(receiver.received.map(({ text }) => JSON.parse(text))).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
  for (const attempt of [1, 2, 3]) {
    const lines = story.logs.filter((line) => line.attempt === attempt);
    expect(lines[0]?.message).toBe(`attempt ${attempt} started`);
    expect(lines.at(-1)?.level).toBe(attempt < 3 ? 'error' : 'info');
  }
  expect(linesOf(story).join('\n')).toMatch(/500[\s\S]*not yet/);
});

it('a secret of the organization arrives at its host, and neither the result nor the log shows it', async () => {
  const receiver = await world.receiver(({ headers }) => ({ body: JSON.stringify({ sent: headers.authorization }) }));
  await world.worker({ allowHosts: [receiver.host] });
  const { hostname } = new URL(receiver.url);
  await person.put('/org/secrets/erp', { value: 'Bearer the-token-of-the-erp', hosts: [hostname] });
  await person.put('/org/secrets/other', { value: 'Bearer the-token-of-the-erp', hosts: ['erp.example'] });
  const withSecret = (name: string) => ({
    url: receiver.url,
    method: 'PUT',
    payload: {},
    headers: { Authorization: { $secret: name } },
  });

  const sent = await runToEnd(person, 'webhook', withSecret('erp'));
  const kept = await runToEnd(person, 'webhook', withSecret('other'), { max_retries: 3 });

  expect(sent.result.result).toEqual({ status: 200, body: { sent: '***' } });
  expect(receiver.received.map(({ method, headers }) => [method, headers.authorization])).toEqual([
    ['PUT', 'Bearer the-token-of-the-erp'],
  ]);
  expect(kept.result.error).toMatchObject({ code: 'invalid_payload' });
  expect(JSON.stringify([sent, kept])).not.toContain('the-token');
});

const HOUR_MS = 3_600_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toUTCString();

it.each([
  { status: 429, wait: '600', atLeastMs: 600_000, lessThanMs: HOUR_MS },
  { status: 503, wait: '600', atLeastMs: 600_000, lessThanMs: HOUR_MS },
  { status: 503, wait: inMs(HOUR_MS / 2), atLeastMs: HOUR_MS / 4, lessThanMs: HOUR_MS },
  // RETRY_MAX_MS is an hour.
  { status: 429, wait: '86400', atLeastMs: HOUR_MS, lessThanMs: 2 * HOUR_MS },
  { status: 429, wait: 'soon', atLeastMs: 0, lessThanMs: HOUR_MS / 2 },
  { status: 400, wait: '600', atLeastMs: 0, lessThanMs: HOUR_MS / 2 },
])(
  'after the status $status with Retry-After: $wait the retry waits at least $atLeastMs ms',
  async ({ status, wait, atLeastMs, lessThanMs }) => {
    const receiver = await world.receiver((_, n) => (n === 1 ? { status, headers: { 'retry-after': wait } } : {}));
    await world.worker({ allowHosts: [receiver.host] });
    const id = await submitJob(person, 'webhook', { url: receiver.url, payload: {} }, { max_retries: 1 });
    const [entry] = await until('the first attempt to fail', async () => {
      const { body } = await person.get(`/jobs/${id}/logs?detail=full`);
      const failed = body.filter(({ kind }: { kind: string }) => kind === 'failed');
      return failed.length > 0 && failed;
    });

    const waitMs = Date.parse(entry.next_attempt_at) - Date.parse(entry.timestamp);
    // The time of the entry was measured by another clock.
    expect(waitMs).toBeGreaterThan(atLeastMs - 1_000);
    expect(waitMs).toBeLessThan(lessThanMs);
  },
);

it("the signature of a webhook can be checked with the organization's secret, also while a rotated secret retires", async () => {
  const receiver = await world.receiver();
  await world.worker({ allowHosts: [receiver.host] });
  const first = (await person.get('/org/webhook-secret')).body.secret;

  await runToEnd(person, 'webhook', { url: receiver.url, payload: { n: 1 } });
  const second = (await person.post('/org/webhook-secret/rotate')).body.secret;
  await runToEnd(person, 'webhook', { url: receiver.url, payload: { n: 2 } });

  expect(second).not.toBe(first);
  const [one, two] = receiver.received;
  expect(signaturesOf(one)).toEqual([sign(first, one)]);
  expect(signaturesOf(two)).toEqual([sign(second, two), sign(first, two)]);
});

it('a forbidden address is refused without a retry, and gets no request', async () => {
  const receiver = await world.receiver();
  await world.worker({ allowHosts: [] });

  const story = await runToEnd(person, 'webhook', { url: receiver.url, payload: {} }, { max_retries: 3 });

  expect(story.job).toMatchObject({ status: 'failed', retries: 0 });
  expect(story.result.error.code).toBe('outbound_forbidden');
  expect(receiver.received).toHaveLength(0);
});

function signaturesOf(request: Received | undefined): string[] {
  return String(request?.headers['webhook-signature']).split(' ');
}

/** Signs by the rules of standardwebhooks.com, without the product's own code. */
function sign(secret: string, request: Received | undefined): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const content = `${request?.headers['webhook-id']}.${request?.headers['webhook-timestamp']}.${request?.text}`;
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
