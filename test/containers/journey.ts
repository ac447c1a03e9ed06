import sharp from 'sharp';
import { expect } from 'vitest';
import { type Person, runToEnd } from '../harness/index.js';
import { readPdf } from '../pdf/pdf-reader.js';
import type { FakeProviders } from './fake-providers.js';

/** Runs a job of each type, and expects one call of each provider and files that can be read. */
export async function runEveryType(person: Person, providers: FakeProviders): Promise<void> {
  const before = providers.calls();
  await person.post('/org/sender-ids', { sender_id: 'ACME' });
  const payloads: Record<string, object> = {
    send_email: { to: 'ada@example.com', subject: 'Hi', body: 'Hi, Ada' },
    send_sms: { to: '+254711000111', from: 'ACME', message: 'Hi' },
    send_chat_message: { to: '+254712345678', message: 'Hi' },
    team_chat_notify: { channel: '#ops', text: 'Hi' },
    mobile_money_stk: { phone: '254708374149', amount: 100, ref: 'INV-1001' },
    ai_summarize: { text: 'A long text.', length: 2 },
    webhook: { url: `${providers.hooks.url}/hook`, payload: { n: 1 } },
    generate_pdf: { template: '<h1>Hello {{ name }}</h1>', data: { name: 'Ada' } },
    compress_image: { url: providers.photoUrl, width: 200 },
  };
  const run = async ([type, payload]: [string, object]) => [type, await runToEnd(person, type, payload)] as const;
  const stories = new Map(await Promise.all(Object.entries(payloads).map(run)));

  for (const [type, { job, logs, result }] of stories)
    expect(job.status, `${type}: ${JSON.stringify([result.error, logs])}`).toBe('done');
  for (const [provider, calls] of Object.entries(providers.calls()))
    expect(calls - (before[provider] ?? 0), provider).toBe(1);
  const pdf = await artifactOf(person, stories.get('generate_pdf')?.job.id);
  expect((await readPdf(pdf)).pages).toEqual(['Hello Ada']);
  const image = await artifactOf(person, stories.get('compress_image')?.job.id);
  expect(await sharp(image).metadata()).toMatchObject({ format: 'jpeg', width: 200, height: 150 });
}

async function artifactOf(person: Person, id: string): Promise<Uint8Array> {
  const [artifact] = (await person.get(`/jobs/${id}/artifacts`)).body;
  return (await person.get(artifact.url)).bytes;
}
