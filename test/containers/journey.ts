import sharp from 'sharp';
import { expect } from 'vitest';
import { type Person, runToEnd } from '../harness/index.js';
import { readPdf } from '../pdf/pdf-reader.js';
import type { FakeProviders } from './fake-providers.js';
import { payloadsFor } from './payloads.js';

/** Runs a job of each type, and expects one call of each provider and files that can be read. */
export async function runEveryType(person: Person, providers: FakeProviders): Promise<void> {
  const before = providers.calls();
  await person.post('/org/sender-ids', { sender_id: 'ACME' });
  const run = async ([type, payload]: [string, object]) => [type, await runToEnd(person, type, payload)] as const;
  const stories = new Map(await Promise.all(Object.entries(payloadsFor(providers)).map(run)));

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
