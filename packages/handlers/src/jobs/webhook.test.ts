import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { HandlerError, OutboundForbidden, RetryLater } from '../errors.js';
import type { OutboundRequest, OutboundResponse, Ports } from '../ports/index.js';
import { type LogLine, runHandler } from '../testing.js';
import { webhook } from './webhook.js';

const SECRETS = [Buffer.from('the current one'), Buffer.from('the one before')];
const STORED = [
  { name: 'long', value: 'x'.repeat(4_097), hosts: ['user-chosen.example'] },
  { name: 'erp', value: 'Bearer the-token', hosts: ['user-chosen.example', 'listed.example', 'plain.example'] },
];
const PAYLOAD = { url: 'https://user-chosen.example:8443/hook/7?token=s3cret', payload: { b: 1, a: ['é', null] } };

describe('the request of a webhook', () => {
  test('is a POST of the inner payload as JSON, to the URL with its query', async () => {
    const { request } = await deliver({ status: 200 });

    expect(request).toMatchObject({ method: 'POST', url: PAYLOAD.url, body: '{"b":1,"a":["é",null]}' });
    expect(request.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(request.headers?.['user-agent']).toMatch(/^Jobline\//);
  });

  test('has a limit of 15 seconds, reads 64 KiB of the answer and is aborted with the job', async () => {
    const ending = new AbortController();

    const { request } = await deliver({ status: 200 }, { signal: ending.signal });

    expect(request).toMatchObject({ timeoutMs: 15_000, maxBytes: 65_536, signal: ending.signal });
    expect(webhook.timeoutMs).toBeGreaterThan(15_000);
  });

  test('is signed with every active secret of the organization, over the exact bytes that are sent', async () => {
    const before = Math.floor(Date.now() / 1000);

    const { request, askedFor } = await deliver({ status: 200 }, { orgId: 'org-7', idempotencyKey: 'job-7' });

    const timestamp = request.headers?.['webhook-timestamp'];
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Number(timestamp)).toBeLessThanOrEqual(Date.now() / 1000);
    const signatures = SECRETS.map(
      (key) => `v1,${createHmac('sha256', key).update(`job-7.${timestamp}.${request.body}`).digest('base64')}`,
    );
    expect(request.headers?.['webhook-signature']).toBe(signatures.join(' '));
    expect(askedFor).toEqual(['org-7']);
    expect(request.orgId).toBe('org-7');
  });

  // A receiver detects a repeated delivery by its id.
  test('carries the same webhook-id on every attempt', async () => {
    const first = await deliver({ status: 200 }, { attempt: 1, idempotencyKey: 'job-7' });
    const third = await deliver({ status: 200 }, { attempt: 3, idempotencyKey: 'job-7' });

    expect(first.request.headers?.['webhook-id']).toBe('job-7');
    expect(third.request.headers?.['webhook-id']).toBe('job-7');
  });
});

describe('the payload of a webhook', () => {
  test.each(['PUT', 'PATCH', 'DELETE'] as const)('can choose the method %s', async (method) => {
    const { request, logs } = await deliver({ status: 200 }, {}, { ...PAYLOAD, method });

    expect(request).toMatchObject({ method, body: '{"b":1,"a":["é",null]}' });
    expect(logs[0]?.message).toMatch(new RegExp(`^${method} https:`));
  });

  test('needs no payload for a GET, which has no body and is signed', async () => {
    const { request } = await deliver(
      { status: 200 },
      { idempotencyKey: 'job-7' },
      { url: PAYLOAD.url, method: 'GET' },
    );

    expect(request.method).toBe('GET');
    expect(request.body).toBeUndefined();
    expect(request.headers).not.toHaveProperty('content-type');
    const signed = `job-7.${request.headers?.['webhook-timestamp']}.`;
    const signatures = SECRETS.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(request.headers?.['webhook-signature']).toBe(signatures.join(' '));
  });

  test('can set headers, in addition to ours or instead of them', async () => {
    const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/vnd.api+json' };

    const { request } = await deliver({ status: 200 }, {}, { ...PAYLOAD, headers });

    expect(request.headers).toMatchObject({
      authorization: 'Bearer x',
      'content-type': 'application/vnd.api+json',
      'webhook-id': expect.any(String),
    });
  });
});

describe('a secret in a header', () => {
  const withSecret = (name: string, url = PAYLOAD.url) => ({
    ...PAYLOAD,
    url,
    headers: { 'X-Key': { $secret: name } },
  });

  test('a secret is sent to its hosts, and hidden in the result and the log', async () => {
    const body = Buffer.from('{"key":"the-token"}');
    const done = await deliver({ status: 200, body }, {}, withSecret('erp'));
    const failed = await deliver({ status: 500, body }, {}, withSecret('erp', 'http://listed.example/'));

    expect(done.request.headers).toMatchObject({ 'x-key': 'Bearer the-token' });
    expect(done.result).toEqual({ status: 200, body: { key: '***' } });
    expect(failed.logs.at(-1)?.message).toMatch(/: \{"key":"\*\*\*"\}$/);
  });

  test.each([
    ['long', PAYLOAD.url, 'its secrets have more than 4096 characters together'],
    ['gone', PAYLOAD.url, 'the secret gone does not exist any more'],
    ['erp', 'https://other.example/', 'the secret erp may not be sent to other.example'],
    ['erp', 'http://plain.example/', 'secrets are sent over https only'],
  ])('a secret that may not be used fails the job without a request: %s for %s', async (name, url, reason) => {
    const sending = deliver({ status: 200 }, {}, withSecret(name, url));

    await expect(sending).rejects.toMatchObject({ code: 'invalid_payload', message: `"payload.headers": ${reason}` });
  });
});

describe('the answer to a webhook', () => {
  test.each([200, 201, 202, 204, 299])(
    'with the status %i is a success, and the result has the status',
    async (status) => {
      const { result, error } = await deliver({ status });

      expect(error).toBeUndefined();
      expect(result).toEqual({ status, body: null });
    },
  );

  test('has a body that the result shows', async () => {
    const { result } = await deliver({ status: 201, body: Buffer.from('{"erp_id":"E-77"}') });

    expect(result).toEqual({ status: 201, body: { erp_id: 'E-77' } });
  });

  test.each([300, 301, 302, 303, 304, 307, 308])(
    'with the status %i is a rejection: redirects are not followed',
    async (status) => {
      const { error } = await deliver({
        status,
        headers: { location: 'https://elsewhere.example/', 'retry-after': '9' },
      });

      expect(error).toMatchObject({
        code: 'provider_rejected',
        message: `the receiver answered ${status}, and redirects are not followed`,
      });
      expect(error).not.toBeInstanceOf(RetryLater);
    },
  );

  test.each([400, 401, 403, 404, 409, 410, 413, 422, 451, 499])('with the status %i is a rejection', async (status) => {
    const { error } = await deliver({ status, headers: { 'retry-after': '120' } });

    expect(error).toMatchObject({ code: 'provider_rejected', message: `the receiver answered ${status}` });
    expect(error).not.toBeInstanceOf(RetryLater);
  });

  test.each([408, 425, 429, 500, 501, 502, 503, 504, 599, 999])(
    'the status %i means that the receiver is not available',
    async (status) => {
      const { error } = await deliver({ status });

      expect(error).toBeInstanceOf(HandlerError);
      expect(error).not.toBeInstanceOf(RetryLater);
      expect(error).toMatchObject({ code: 'provider_unavailable', message: `the receiver answered ${status}` });
    },
  );

  test.each([408, 425, 429, 500, 503])('with the status %i can name the wait', async (status) => {
    const { error } = await deliver({ status, headers: { 'retry-after': '120' } });

    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'provider_unavailable', delayMs: 120_000 });
  });

  test('with an invalid Retry-After is treated as one without', async () => {
    const { error } = await deliver({ status: 503, headers: { 'retry-after': 'soon' } });

    expect(error).not.toBeInstanceOf(RetryLater);
  });
});

describe('the log of a webhook', () => {
  test('has the URL without its query, the status and the duration', async () => {
    const { logs } = await deliver({ status: 204 });

    expect(logs).toEqual([
      { level: 'info', message: 'POST https://user-chosen.example:8443/hook/7' },
      { level: 'info', message: expect.stringMatching(/^answered 204 in \d+ ms$/) },
    ]);
  });

  test('has the status and the beginning of a failed answer, in complete characters', async () => {
    const body = Buffer.from(`no: ${'é'.repeat(2_000)}`);

    const { logs } = await deliver({ status: 500, body });

    const [, took, text] = /^(answered 500 in \d+ ms): (.*)$/.exec(logs.at(-1)?.message ?? '') ?? [];
    expect(logs.at(-1)?.level).toBe('warn');
    expect(took).toBeDefined();
    expect(text).toBe(`no: ${'é'.repeat(1_020)}`);
  });

  test('shows invalid UTF-8 as replacement characters', async () => {
    const { logs } = await deliver({ status: 500, body: Buffer.from([0x68, 0xff, 0x69]) });

    expect(logs.at(-1)?.message).toMatch(/: h\u{fffd}i$/u);
  });

  test('shows that a failed answer is empty', async () => {
    const { logs } = await deliver({ status: 404 });

    expect(logs.at(-1)?.message).toMatch(/^answered 404 in \d+ ms: \(empty\)$/);
  });

  test('contains neither secrets nor signatures', async () => {
    const { logs, request } = await deliver({ status: 500, body: Buffer.from('no') });

    const text = JSON.stringify(logs);
    expect(text).not.toContain('s3cret');
    expect(text).not.toContain(request.headers?.['webhook-signature']);
  });
});

test('a failed call fails the attempt with the error of the call', async () => {
  const reason = new OutboundForbidden('no');

  const { error } = await deliver(reason);

  expect(error).toBe(reason);
});

async function deliver(
  answer: Partial<OutboundResponse> | Error,
  options: Parameters<typeof runHandler>[2] = {},
  payload: Parameters<typeof webhook.run>[0] = PAYLOAD,
) {
  const requests: OutboundRequest[] = [];
  const askedFor: string[] = [];
  const logs: LogLine[] = [];
  const ports: Partial<Ports> = {
    secrets: {
      open: async (_orgId, names) => STORED.filter(({ name }) => names.includes(name)),
      mayTravelPlain: (url) => url.startsWith('http://listed.example'),
    },
    webhookSecrets: {
      async active(orgId) {
        askedFor.push(orgId);
        return SECRETS.map((secret) => `whsec_${secret.toString('base64')}`);
      },
    },
    outbound: {
      async request(request) {
        requests.push(request);
        if (answer instanceof Error) throw answer;
        return { status: 200, headers: {}, body: new Uint8Array(), cut: false, ...answer };
      },
    },
  };
  const run = await runHandler(webhook, payload, { ...options, ports, logs }).then(
    ({ result }) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  const [request] = requests;
  if (!request) throw run.error ?? new Error('the handler made no request');
  return { ...run, request, askedFor, logs };
}
