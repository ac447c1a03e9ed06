import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, register, type TestApi, type World, watchBlockedLoop } from '../harness/index.js';
import { closeAll } from '../providers/receivers.js';
import { smtpStandIn } from '../providers/smtp-stand-in.js';
import { type FieldKind, fieldsOfKind, type InputField } from './hostile/fields.js';
import { HOSTILE_LISTS, HOSTILE_OBJECTS, hostileTexts } from './hostile/values.js';
import { ask } from './walk/ask.js';
import { CALLBACK_SECRET } from './walk/rows.js';

/** How long a request may block the event loop, on a machine of slowness 1. */
const BLOCKED_LIMIT_MS = 200 * Number(process.env.TEST_SLOWNESS ?? 1);
/** Encoded size that fits into a URL or a header. */
const ADDRESS_BYTES = 4_000;
const HEADER_BYTES = 15_000;

let world: World;
let api: TestApi;
let mailServer: Awaited<ReturnType<typeof smtpStandIn>>;
let blockedLoop: ReturnType<typeof watchBlockedLoop>;

beforeAll(async () => {
  world = await createWorld();
  mailServer = await smtpStandIn({
    onData(stream, _session, done) {
      mailServer.offered++;
      stream.resume().once('end', () => done(null, 'queued as 4711'));
    },
  });
  api = await world.alone.api({
    settings: { callbacks: { SMS_WEBHOOK_SECRET: CALLBACK_SECRET } },
    providers: {
      EMAIL_PROVIDER: 'smtp',
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_SMTP_PORT: `${mailServer.port}`,
      EMAIL_SMTP_TLS: 'none',
      EMAIL_DEFAULT_FROM: 'hello@acme.example',
    },
  });
  blockedLoop = watchBlockedLoop();
});
afterAll(async () => {
  blockedLoop.stop();
  await world.end();
  await closeAll();
});

describe('the event loop, with hostile texts in fields', () => {
  it('is not blocked by requests without a credential', async () => {
    const { slow, errorCodes } = await sendToFields(await fieldsOfDocument('text'), {});

    expect(slow.join('\n')).toBe('');
    for (const code of ['internal', 'rate_limited']) expect(errorCodes).not.toContain(code);
  });

  it('is not blocked by requests of a signed-in user, including direct sends with a real provider', async () => {
    const operations = await sendSignedIn(await fieldsOfDocument('text'));

    expect(operations).toContain('sendEmail');
    expect(mailServer.offered).toBeGreaterThan(hostileTexts().length / 2);
  });

  it('is not blocked by callbacks of providers', async () => {
    const endpoint = { method: 'post', path: '/webhooks/:provider' } as const;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const slow = await slowOnes(
      hostileTexts().map(([name, text]) => [
        name,
        () => {
          const raw = new URLSearchParams({ id: text, status: text, failureReason: text }).toString();
          const query = { secret: CALLBACK_SECRET };
          return ask(api.url, endpoint, { params: { provider: 'africastalking' }, query, raw, headers });
        },
      ]),
    );

    expect(slow.join('\n')).toBe('');
  });
});

describe('the event loop, with lists and objects of a size that no field allows', () => {
  it.each(['list', 'object'] as const)('is not blocked by requests with a hostile %s', async (kind) => {
    const fields = await fieldsOfDocument(kind);
    const { slow, errorCodes } = await sendToFields(
      fields.filter(({ isOpen }) => isOpen),
      {},
    );

    expect(slow.join('\n')).toBe('');
    expect(errorCodes).not.toContain('internal');
    await sendSignedIn(fields);
  });
});

describe('the event loop, with hostile texts in headers', () => {
  const HEADERS = {
    accept: '',
    'accept-encoding': 'gzip;q=',
    authorization: 'Bearer ',
    'content-type': 'application/json; charset=',
    'idempotency-key': '',
    'if-none-match': 'W/',
    'last-event-id': '',
    origin: 'https://',
    traceparent: '00-',
    'x-api-key': 'jl_',
    'x-request-id': '',
  };

  it.each(Object.entries(HEADERS))('is not blocked by the header %s', async (name, start) => {
    const texts = hostileTexts(HEADER_BYTES).filter(([, text]) => /^[\t\x20-\x7e]+$/.test(text));
    const slow = await slowOnes(
      texts.map(([pattern, text]) => [
        pattern,
        () => {
          // Node trims the spaces at the end of a header.
          const headers = { [name]: `${start}${text}"x` };
          return ask(api.url, { method: 'post', path: '/auth/login' }, { raw: '{}', headers });
        },
      ]),
    );

    expect(texts.length).toBeGreaterThan(5);
    expect(slow.join('\n')).toBe('');
  });
});

/** A scan without fields would find no slow field either. */
const KNOWN_FIELDS: Record<FieldKind, string[]> = {
  text: ['login body email', 'submitJob body payload.to of send_email', 'listJobs query cursor'],
  list: ['startBulk body filter.ids', 'createWebhook body events', 'submitBatch body jobs', 'submitJob body tags'],
  object: ['startBulk body filter', 'login body '],
};

async function fieldsOfDocument(kind: FieldKind): Promise<InputField[]> {
  const fields = fieldsOfKind((await api.call('GET', '/openapi.json')).body, kind);
  expect(fields.map(({ operation, name }) => `${operation} ${name}`)).toEqual(
    expect.arrayContaining(KNOWN_FIELDS[kind]),
  );
  return fields;
}

/** Sends hostile values to the fields of operations that need a credential. Returns these operations. */
async function sendSignedIn(fields: readonly InputField[]): Promise<string[]> {
  const closed = fields.filter(({ isOpen }) => !isOpen);
  const operations = [...new Set(closed.map(({ operation }) => operation))];
  for (const operation of operations) {
    // Each organization has its own budgets.
    const { token } = await register(api.call);
    const { slow, errorCodes } = await sendToFields(
      closed.filter((field) => field.operation === operation),
      { authorization: `Bearer ${token}` },
    );

    expect(slow.join('\n')).toBe('');
    // A request that is rejected before its fields are read would prove nothing.
    for (const code of ['internal', 'unauthenticated', 'forbidden', 'rate_limited'])
      expect(errorCodes).not.toContain(code);
  }
  return operations;
}

async function sendToFields(
  fields: readonly InputField[],
  credential: Record<string, string>,
): Promise<{ slow: string[]; errorCodes: Set<string> }> {
  const errorCodes = new Set<string>();
  const requests = fields.flatMap((field) =>
    valuesFor(field).map(
      ([pattern, value]): Request => [
        `${field.operation}, ${field.name}: ${pattern}`,
        async () => {
          // The cast: a method of the document is a method of an endpoint.
          const endpoint = field as Parameters<typeof ask>[1];
          const { status, text: answer } = await ask(api.url, endpoint, field.ask(value), credential);
          if (status >= 400) errorCodes.add(JSON.parse(answer).error.code);
        },
      ],
    ),
  );
  return { slow: await slowOnes(requests), errorCodes };
}

function valuesFor({ kind, place }: InputField): readonly [string, unknown][] {
  if (kind === 'text') return hostileTexts(place === 'body' ? undefined : ADDRESS_BYTES);
  return kind === 'list' ? HOSTILE_LISTS : HOSTILE_OBJECTS;
}

type Request = [name: string, send: () => Promise<unknown>];

/** Sends the requests one after another and returns the names of those that blocked the event loop too long. */
async function slowOnes(requests: readonly Request[]): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, send] of requests) {
    // A text that blocks the loop does so every time. A pause of the garbage collector does not repeat.
    if ((await blockedMs(send)) <= BLOCKED_LIMIT_MS) continue;
    const longestMs = await blockedMs(send);
    if (longestMs > BLOCKED_LIMIT_MS) slow.push(`${name}: ${Math.round(longestMs)} ms`);
  }
  return slow;
}

async function blockedMs(send: () => Promise<unknown>): Promise<number> {
  blockedLoop.longestMs();
  await send();
  return blockedLoop.longestMs();
}
