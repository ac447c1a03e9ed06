import { afterAll, beforeAll, expect } from 'vitest';
import { createWorld, register, type TestApi, type World, watchBlockedLoop } from '../../harness/index.js';
import { closeAll } from '../../providers/receivers.js';
import { smtpStandIn } from '../../providers/smtp-stand-in.js';
import { ask } from '../walk/ask.js';
import { CALLBACKS } from '../walk/rows.js';
import { type FieldKind, fieldsOfKind, type InputField } from './fields.js';
import { HOSTILE_LISTS, HOSTILE_OBJECTS, hostileTexts } from './values.js';

/** How long a request may block the event loop, on a machine of slowness 1. */
const BLOCKED_LIMIT_MS = 200 * Number(process.env.TEST_SLOWNESS ?? 1);
/** Encoded size that fits into a URL or a header. */
const ADDRESS_BYTES = 4_000;

let world: World;
let api: TestApi;
let mailServer: Awaited<ReturnType<typeof smtpStandIn>>;
let blockedLoop: ReturnType<typeof watchBlockedLoop>;

/** Starts an API for the tests of a file, which uses a real mail server. */
export function useHostileApi(): { url: () => string; mailsOffered: () => number } {
  beforeAll(async () => {
    world = await createWorld();
    mailServer = await smtpStandIn({
      onData(stream, _session, done) {
        mailServer.offered++;
        stream.resume().once('end', () => done(null, 'queued as 4711'));
      },
    });
    api = await world.alone.api({
      settings: { callbacks: CALLBACKS },
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
  return { url: () => api.url, mailsOffered: () => mailServer.offered };
}

/** A scan without fields would find no slow field either. */
const KNOWN_FIELDS: Record<FieldKind, string[]> = {
  text: ['login body email', 'submitJob body payload.to of send_email', 'listJobs query cursor'],
  list: ['startBulk body filter.ids', 'createWebhook body events', 'submitBatch body jobs', 'submitJob body tags'],
  object: ['startBulk body filter', 'login body '],
};

export async function fieldsOfDocument(kind: FieldKind): Promise<InputField[]> {
  const fields = fieldsOfKind((await api.call('GET', '/openapi.json')).body, kind);
  expect(fields.map(({ operation, name }) => `${operation} ${name}`)).toEqual(
    expect.arrayContaining(KNOWN_FIELDS[kind]),
  );
  return fields;
}

/** Sends hostile values to the fields of operations that need a credential. Returns these operations. */
export async function sendSignedIn(fields: readonly InputField[]): Promise<string[]> {
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

export async function sendToFields(
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

/** A value that blocks the loop does so every time. Pauses of the garbage collector rarely come three times in succession. */
const TRIES = 3;

/** Sends the requests one after another and returns the names of those that blocked the event loop too long. */
export async function slowOnes(requests: readonly Request[]): Promise<string[]> {
  const slow: string[] = [];
  for (const [name, send] of requests) {
    let longestMs = Number.POSITIVE_INFINITY;
    for (let n = 0; n < TRIES && longestMs > BLOCKED_LIMIT_MS; n++) {
      longestMs = Math.min(longestMs, await blockedMs(send));
    }
    if (longestMs > BLOCKED_LIMIT_MS) slow.push(`${name}: ${Math.round(longestMs)} ms`);
  }
  return slow;
}

async function blockedMs(send: () => Promise<unknown>): Promise<number> {
  blockedLoop.longestMs();
  await send();
  return blockedLoop.longestMs();
}
