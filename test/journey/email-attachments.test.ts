import { randomBytes } from 'node:crypto';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../api/support.js';
import {
  createWorld,
  linesOf,
  type Person,
  register,
  runToEnd,
  until,
  uploadFile,
  type World,
} from '../harness/index.js';
import { sendgridAt, takesEmail } from '../messages/support.js';
import { closeAll } from '../providers/receivers.js';
import { smtpStandIn } from '../providers/smtp-stand-in.js';

const FILE = new Uint8Array(randomBytes(300_000));
const ARTIFACT = new Uint8Array(randomBytes(100_000));
const MIB = 1024 * 1024;
/** A busy machine may need longer than a caller would wait. */
const SLOW = { callMs: 60_000, deadMs: 65_000, duplicateWaitMs: 70_000 };

const maker = defineHandler({
  type: 'maker',
  run: (_payload, ctx) =>
    ctx.saveArtifact({ name: 'data.bin', contentType: 'application/octet-stream', bytes: ARTIFACT }),
});
const idle = defineHandler({ type: 'idle', run: async () => null });

interface Attached {
  filename: string | null;
  type: string;
  id: string | undefined;
  bytes: Buffer;
}

/** What arrived at the provider: the attachments of each email. */
let arrived: () => Attached[][];
let forget: () => void;

async function startSmtp(): Promise<Record<string, string>> {
  const server = await smtpStandIn();
  arrived = () =>
    server.mails.map(({ mail }) =>
      mail.attachments.map(({ filename, mimeType: type, contentId: id, content }) => {
        // The cast: without other settings it is a buffer.
        return { filename, type, id: id?.slice(1, -1), bytes: Buffer.from(content as ArrayBuffer) };
      }),
    );
  forget = () => {
    server.mails.length = 0;
  };
  return {
    EMAIL_PROVIDER: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(server.port),
    EMAIL_SMTP_TLS: 'none',
    EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>',
  };
}

async function startSendgrid(): Promise<Record<string, string>> {
  const receiver = await world.receiver(takesEmail);
  arrived = () =>
    receiver.received.map(({ text }) => {
      const { attachments = [] } = JSON.parse(text);
      return attachments.map((one: Record<string, string>) => {
        const { filename = null, type = '', content_id: id, content = '' } = one;
        return { filename, type, id, bytes: Buffer.from(content, 'base64') };
      });
    });
  forget = () => {
    receiver.received.length = 0;
  };
  return sendgridAt(receiver.url);
}

let world: World;
let person: Person;
/** The id of a job with one artifact. */
let job: string;
let withoutArtifact: string;

describe.each([
  ['smtp', startSmtp],
  ['sendgrid', startSendgrid],
])('through %s', (provider, start) => {
  beforeAll(async () => {
    world = await createWorld();
    const providers = await start();
    person = await register((await world.api({ providers, directTimes: SLOW })).call);
    await until('the email of the registration', () => arrived().length > 0);
    const own = await world.worker({ catalogue: createCatalogue([maker, idle]) });
    job = (await runToEnd(person, 'maker', {})).job.id;
    withoutArtifact = (await runToEnd(person, 'idle', {})).job.id;
    await own.stop();
    await world.worker({ providers });
  });
  afterAll(async () => {
    await world.end();
    await closeAll();
  });
  beforeEach(() => forget());

  const EMAIL = { to: 'ada@example.com', subject: 'Hello', html: '<img src="cid:logo">' };

  it('files and artifacts are attached byte for byte to emails of jobs and to direct emails', async () => {
    const file = await uploadFile(person, FILE, `name=${encodeURIComponent('請求書.bin')}`);
    const attachments = [
      { file },
      { job, artifact: 'data.bin', filename: 'Ä "b".pdf', content_type: 'application/pdf' },
      { job, filename: 'logo.png', content_type: 'image/png', content_id: 'logo' },
    ];

    const story = await runToEnd(person, 'send_email', { ...EMAIL, attachments });
    const direct = await person.post('/email/send', { ...EMAIL, attachments });

    expect(story.job.status, linesOf(story).join('\n')).toBe('done');
    expect(direct.status, direct.text).toBe(200);
    expect(arrived()).toHaveLength(2);
    for (const attached of arrived()) {
      // In a message, what the HTML shows comes first.
      const [first, second, third] = attached.sort(
        (one, other) => Number(one.id !== undefined) - Number(other.id !== undefined),
      );
      expect([first, second, third].map((one) => [one?.filename, one?.type, one?.id])).toEqual([
        ['請求書.bin', 'application/octet-stream', undefined],
        ['Ä "b".pdf', 'application/pdf', undefined],
        ['logo.png', 'image/png', 'logo'],
      ]);
      expect(first?.bytes.equals(FILE)).toBe(true);
      for (const one of [second, third]) expect(one?.bytes.equals(ARTIFACT)).toBe(true);
    }
  });

  it('unknown and foreign sources, and jobs without exactly one artifact, are validation issues', async () => {
    const other = await register((await world.api()).call);
    const foreign = await uploadFile(other, FILE.subarray(0, 10));
    const sources = [{ file: foreign }, { job: 'unknown' }, { job: withoutArtifact }, { job, artifact: 'other.bin' }];

    for (const source of sources) {
      const attachments = [{ job }, source];
      const submitted = await person.post('/jobs', { type: 'send_email', payload: { ...EMAIL, attachments } });
      const direct = await person.post('/email/send', { ...EMAIL, attachments });

      expectError(submitted, 400, 'validation_failed');
      expectError(direct, 400, 'validation_failed');
      expect(submitted.body.error.details).toMatchObject([{ path: 'payload.attachments[1]' }]);
      expect(direct.body.error.details).toMatchObject([{ path: 'attachments[1]' }]);
      expect(direct.body.error.details[0].message).toMatch(/^"attachments\[1\]" /);
    }
    expect(arrived()).toEqual([]);
  });

  it('attachments of more than 20 MiB together are not sent', async () => {
    const file = await uploadFile(person, new Uint8Array(10 * MIB + 1));
    const attachments = [{ file }, { file, filename: 'again.bin' }];

    const story = await runToEnd(person, 'send_email', { ...EMAIL, attachments });
    const direct = await person.post('/email/send', { ...EMAIL, attachments });

    expect(story.result.error).toMatchObject({ code: 'invalid_payload' });
    expectError(direct, 400, 'validation_failed');
    expect(direct.body.error.details).toMatchObject([{ path: 'attachments[0]' }]);
    expect(arrived()).toEqual([]);
  });

  it('an empty attachment is sent if the provider accepts it, and is invalid otherwise', async () => {
    const attachments = [{ file: await uploadFile(person, new Uint8Array(0), 'name=empty.txt') }];

    const story = await runToEnd(person, 'send_email', { ...EMAIL, attachments });
    const direct = await person.post('/email/send', { ...EMAIL, attachments });

    if (provider === 'smtp') {
      expect([story.job.status, direct.status]).toEqual(['done', 200]);
      expect(arrived().map(([one]) => [one?.filename, one?.bytes.length])).toEqual(Array(2).fill(['empty.txt', 0]));
      return;
    }
    expect(story.result.error).toMatchObject({ code: 'invalid_payload', message: expect.stringContaining('is empty') });
    expectError(direct, 400, 'validation_failed');
    expect(direct.body.error.details).toMatchObject([{ path: 'attachments[0]' }]);
    expect(arrived()).toEqual([]);
    expect(
      (await person.get('/email/messages')).body.every(({ status }: { status: string }) => status === 'sent'),
    ).toBe(true);
  });

  it('a repeat with other attachments cannot use the same key', async () => {
    const send = (filename: string) =>
      person.post(
        '/email/send',
        { ...EMAIL, attachments: [{ job, filename }] },
        { headers: { 'Idempotency-Key': 'key' } },
      );

    const first = await send('a.bin');
    const again = await send('a.bin');
    expectError(await send('b.bin'), 422, 'idempotency_key_reused');

    expect(first.status, first.text).toBe(200);
    expect(again.body).toEqual(first.body);
    expect(arrived()).toHaveLength(1);
  });
});
