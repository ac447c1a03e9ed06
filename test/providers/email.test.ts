import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EMAIL, open, send } from './email-sample.js';

describe('the email sandbox', () => {
  test('accepts a message without sending it', async () => {
    const provider = open({});

    expect(await provider.send(EMAIL, new AbortController().signal)).toEqual({ providerMessageId: null });
    expect(provider).toMatchObject({ provider: 'sandbox', defaultFrom: 'sandbox@jobline.invalid' });
  });

  test('stores messages as files if configured, readable only by its own user', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'jobline-mail-'));
    onTestFinished(() => rm(parent, { recursive: true }));
    const dir = join(parent, 'mail');
    await send({ EMAIL_SANDBOX_DIR: dir });

    const file = join(dir, `${EMAIL.id}.txt`);
    expect(await readFile(file, 'utf8')).toBe(
      `To: ${EMAIL.to}\nFrom: ${EMAIL.from}\nSubject: ${EMAIL.subject}\n\n${EMAIL.content.text}\n`,
    );
    for (const path of [dir, file]) expect((await stat(path)).mode & 0o077).toBe(0);
  });

  test('rejects an invalid address, and does nothing if the signal was aborted before', async () => {
    await expect(send({}, { to: 'ada' })).rejects.toMatchObject({ kind: 'rejected' });
    await expect(send({}, {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});

test.each([
  ['sendgrid', { EMAIL_API_KEY: 'key' }],
  ['smtp', { EMAIL_SMTP_HOST: 'mail.example' }],
  ['sandbox', {}],
])('%s uses the configured default sender, which must be an address', (name, required) => {
  const env = { ...required, EMAIL_PROVIDER: name };

  expect(open({ ...env, EMAIL_DEFAULT_FROM: 'Acme <hello@acme.example>' }).defaultFrom).toBe(
    'Acme <hello@acme.example>',
  );
  expect(() => open({ ...env, EMAIL_DEFAULT_FROM: 'Acme' })).toThrow('EMAIL_DEFAULT_FROM');
});

test('missing settings of an email provider are named', () => {
  expect(() => open({ EMAIL_PROVIDER: 'sendgrid' })).toThrow('EMAIL_API_KEY is required');
  expect(() => open({ EMAIL_PROVIDER: 'smtp', EMAIL_SMTP_USERNAME: 'me' })).toThrow(
    /EMAIL_SMTP_HOST is required[\s\S]*EMAIL_SMTP_PASSWORD, or neither/,
  );
  expect(() => open({ EMAIL_PROVIDER: 'pigeon' })).toThrow('EMAIL_PROVIDER must be one of [sandbox, sendgrid, smtp]');
});
