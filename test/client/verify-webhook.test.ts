import { verifyWebhook, type WebhookHeaders } from '@jobline/client';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/index.js';
import { createHookWorld, type HookWorld } from '../journey/hook-world.js';
import { rejection } from './client-world.js';

describe('a real delivery', () => {
  let hooks: HookWorld;
  beforeAll(async () => {
    hooks = await createHookWorld();
  });
  beforeEach(() => hooks.reset());
  afterAll(() => hooks.world.end());

  it('is verified with the secret of the webhook, before and after the secret is replaced', async () => {
    const hook = await hooks.createHook(['job.done']);
    const id = await hooks.runFirst('a:0');
    const [request] = await until('the delivery', () => hooks.at('/hook').length === 1 && hooks.at('/hook'));
    if (!request) throw new Error('there is no delivery');

    const event = await verifyWebhook(request.text, request.headers, hook.secret);
    expect(event).toMatchObject({ type: 'job.done', data: { id, status: 'done' } });

    const { secret } = (await hooks.person.post(`/org/webhooks/${hook.id}/rotate`)).body;
    await hooks.person.post(`/org/webhooks/${hook.id}/test`);
    const [, ping] = await until('the test', () => hooks.at('/hook').length === 2 && hooks.at('/hook'));
    for (const one of [hook.secret, secret]) {
      const read = verifyWebhook(new TextEncoder().encode(ping?.text), ping?.headers ?? {}, one);
      expect(await read).toMatchObject({ type: 'test.ping' });
    }
  });

  it('to a callback is verified with the secret of the organization', async () => {
    const id = await hooks.runFirst('a:1', { callback_url: `${hooks.url}/callback` });
    const [request] = await until('the callback', () => hooks.at('/callback').length === 1 && hooks.at('/callback'));
    const { secret } = (await hooks.person.get('/org/webhook-secret')).body;

    expect(await verifyWebhook(request?.text ?? '', request?.headers ?? {}, secret)).toMatchObject({ data: { id } });
  });
});

const SECRET = `whsec_${Buffer.from('the secret of the receiver').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.from('another secret').toString('base64')}`;

/** A request signed by the library of Standard Webhooks. */
function signed({ secret = SECRET, at = new Date(), body = '{"type":"job.done","é":1}' } = {}) {
  const headers: Record<string, string> = {
    'webhook-id': 'event-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('event-1', at, body),
  };
  return { body, headers };
}

describe('a request that the library of Standard Webhooks has signed', () => {
  const { body, headers } = signed();
  const bytes = new TextEncoder().encode(body);
  const forms: [string, WebhookHeaders][] = [
    ['of fetch', new Headers(headers)],
    ['of Node', { ...headers, host: 'a', 'set-cookie': ['a', 'b'] }],
    ['with capitals', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))],
    [
      'with several signatures',
      { ...headers, 'webhook-signature': `v1a,x v1,!!! v1,AAAA ${headers['webhook-signature']}` },
    ],
  ];

  it.each(forms)('is accepted with headers %s', async (_form, given) => {
    for (const form of [body, bytes, bytes.buffer, Buffer.from(body)])
      expect(await verifyWebhook(form, given, SECRET)).toEqual({ type: 'job.done', é: 1 });
  });

  it('is accepted four minutes before and after its time', async () => {
    for (const minutes of [-4, 4]) {
      const request = signed({ at: new Date(Date.now() + minutes * 60_000) });
      expect(await verifyWebhook(request.body, request.headers, SECRET)).toMatchObject({ type: 'job.done' });
    }
  });
});

describe('a request is rejected with invalid_signature', () => {
  const { body, headers } = signed();
  const minutes = (n: number) => signed({ at: new Date(Date.now() + n * 60_000) });

  // Made when the test runs: a request six minutes ahead is valid a minute later.
  it.each([
    ['if its body was changed', () => ({ body: body.replace('done', 'gone'), headers })],
    ['if its id was changed', () => ({ body, headers: { ...headers, 'webhook-id': 'event-2' } })],
    [
      'if its time was changed',
      () => ({ body, headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) } }),
    ],
    ['if its time is not a number', () => ({ body, headers: { ...headers, 'webhook-timestamp': 'now' } })],
    ['if it is too old', () => minutes(-6)],
    ['if it is from the future', () => minutes(6)],
    ['if another secret signed it', () => signed({ secret: OTHER_SECRET })],
    ['if it has no signature', () => ({ body, headers: {} })],
    [
      'if its signature has another version',
      () => ({ body, headers: { ...headers, 'webhook-signature': 'v1a,AAAA' } }),
    ],
    ['if its body is not JSON', () => signed({ body: 'hello' })],
  ])('%s', async (_case, makeRequest) => {
    const request = makeRequest();
    expect(await rejection(verifyWebhook(request.body, request.headers, SECRET))).toMatchObject({
      code: 'invalid_signature',
      status: 0,
    });
  });

  it.each(['', 'whsec_', 'whsec_***'])('with the secret "%s"', async (secret) => {
    expect(await rejection(verifyWebhook(body, headers, secret))).toMatchObject({ code: 'invalid_signature' });
  });

  it('if the body was parsed before', async () => {
    // The cast: TypeScript refuses an object, and JavaScript does not.
    const parsed = JSON.parse(body) as string;
    const error = await rejection(verifyWebhook(parsed, headers, SECRET));

    expect(error).toMatchObject({ code: 'invalid_signature' });
    expect(String(error)).toContain('as it arrived');
  });
});
