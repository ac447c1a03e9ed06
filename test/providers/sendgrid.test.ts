import { emailProviders } from '@jobline/providers';
import { afterEach, describe, expect, test } from 'vitest';
import { failsAsAgreed, type Trouble } from './conformance.js';
import { EMAIL, EXCERPT, HTML, ID, send } from './email-sample.js';
import { type HttpBehavior, httpStandIn } from './http-stand-in.js';
import { closeAll } from './receivers.js';

afterEach(closeAll);

const KEY = 'SG.a-key-that-must-stay-secret';

describe('sendgrid', () => {
  const ACCEPTED: HttpBehavior = { status: 202, headers: { 'x-message-id': 'its-own-id' } };
  const REJECTION = 'The from address does not match a verified Sender Identity.';
  const TROUBLES: Record<Exclude<Trouble, 'is unreachable'>, HttpBehavior> = {
    rejects: {
      status: 403,
      headers: { 'retry-after': '9' },
      body: { errors: [{ message: `${REJECTION}\n(${KEY})`, field: 'from', help: null }, null, {}] },
    },
    fails: { status: 503, body: '<html>Service Unavailable</html>' },
    throttles: {
      status: 429,
      headers: { 'retry-after': '7' },
      body: { errors: [{ message: 'too many requests', field: null }] },
    },
    'does not answer': 'silence',
    'closes the connection': 'cut',
    'sends half an answer': { half: { status: 202, body: 'a body that never comes whole' } },
  };

  const settings = (url: string) => ({ EMAIL_PROVIDER: 'sendgrid', EMAIL_API_KEY: KEY, EMAIL_BASE_URL: url });

  test('gets a request in the form of its API', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);

    expect(await send(settings(url))).toEqual({ providerMessageId: 'its-own-id' });

    const [request, ...others] = requests;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      method: 'POST',
      url: '/some/base/v3/mail/send',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', accept: 'application/json' },
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      personalizations: [{ to: [{ email: 'ada@example.org' }] }],
      from: { email: 'hello@acme.example', name: 'Acme, Inc.' },
      subject: 'Grüße, Ada',
      content: [{ type: 'text/plain', value: EMAIL.content.text }],
      custom_args: { jl_message_id: ID },
    });
  });

  test('gets HTML as text if the email is plain text', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);

    await send(settings(url), { content: { html: null, text: HTML } });

    expect(JSON.parse(requests[0]?.body ?? '').content).toEqual([{ type: 'text/plain', value: HTML }]);
  });

  test('gets HTML after its text part, and a sender without a name as an address only', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);

    await send(settings(url), { content: { html: HTML, text: 'Hello Ada' }, from: 'hello@acme.example' });

    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      from: { email: 'hello@acme.example' },
      content: [
        { type: 'text/plain', value: 'Hello Ada' },
        { type: 'text/html', value: HTML },
      ],
    });
  });

  test('gets HTML alone if it has no text, and domains in their ASCII form', async () => {
    const { url, requests } = await httpStandIn(ACCEPTED);
    const [to, from] = ['info@bücher.example', 'Büro <hello@почта.рф>'];

    await send(settings(url), { content: { html: HTML, text: '' }, to, from });

    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      personalizations: [{ to: [{ email: 'info@xn--bcher-kva.example' }] }],
      from: { email: 'hello@xn--80a1acny.xn--p1ai', name: 'Büro' },
      content: [{ type: 'text/html', value: HTML }],
    });
  });

  test('can answer without an id', async () => {
    const { url } = await httpStandIn({ status: 202 });

    expect(await send(settings(url))).toEqual({ providerMessageId: null });
  });

  test('cannot redirect the request: a redirect is a rejection, and the key is sent to no other address', async () => {
    const elsewhere = await httpStandIn(ACCEPTED);
    const { url } = await httpStandIn({ status: 307, headers: { location: elsewhere.url } });

    await expect(send(settings(url))).rejects.toMatchObject({ kind: 'rejected', message: 'sendgrid answered 307' });
    expect(elsewhere.requests).toEqual([]);
  });

  test('names the end of its limit in X-RateLimit-Reset', async () => {
    const resetS = Math.ceil(Date.now() / 1000) + 60;
    const { url } = await httpStandIn({ status: 429, headers: { 'x-ratelimit-reset': String(resetS) } });

    const failure = await send(settings(url)).catch((error: unknown) => error);

    expect(failure).toMatchObject({ kind: 'throttled', retryAfterMs: expect.any(Number) });
    expect(failure).toHaveProperty(
      'retryAfterMs',
      expect.toSatisfy((ms: number) => ms > 1_000 && ms <= 61_000),
    );
  });

  failsAsAgreed('sendgrid', async (timeoutMs) => {
    const standIn = await httpStandIn(ACCEPTED);
    const env = { ...settings(standIn.url), EMAIL_TIMEOUT_MS: timeoutMs };
    return {
      send: (signal, context) => emailProviders.open(env, context).send(EMAIL, signal),
      async meet(trouble) {
        if (trouble === 'is unreachable') await standIn.leave();
        else standIn.behavior = TROUBLES[trouble];
      },
      received: () => standIn.requests.length,
      secrets: [KEY, EXCERPT],
      rejection: `from: ${REJECTION}`,
    };
  });
});
