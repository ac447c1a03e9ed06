import { randomBytes } from 'node:crypto';
import { createCatalogue, defineHandler, PermanentError, type RunContext } from '@jobline/handlers';
import { artifactStores } from '@jobline/providers';
import { silentLogger } from '@jobline/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, linesOf, type Person, register, runToEnd, until, type World } from '../harness/index.js';
import { type S3StandIn, startS3 } from '../providers/s3-stand-in.js';

let s3: S3StandIn;
let world: World;
let person: Person;
let apiUrl: string;
let worker: Awaited<ReturnType<World['worker']>>;

beforeEach(async () => {
  s3 = await startS3();
  world = await createWorld();
  const api = await world.api({ providers: settings() });
  apiUrl = api.url;
  person = await register(api.call);
});
afterEach(async () => {
  await world.end();
  await s3.close();
});

function settings(): Record<string, string> {
  return {
    ARTIFACTS: 's3',
    ARTIFACTS_S3_BUCKET: s3.bucket,
    ARTIFACTS_S3_REGION: s3.region,
    ARTIFACTS_S3_ENDPOINT: s3.url,
    ARTIFACTS_S3_ACCESS_KEY_ID: s3.accessKeyId,
    ARTIFACTS_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
}

const file = (bytes: Uint8Array, name = 'report.txt') => ({ name, contentType: 'text/plain; charset=utf-8', bytes });

/** Runs a job whose handler does this. */
async function running(
  run: (ctx: RunContext) => Promise<unknown>,
  more: object = {},
  own: Record<string, string> = {},
) {
  const catalogue = createCatalogue([defineHandler({ type: 'maker', run: (_payload, ctx) => run(ctx) })]);
  worker = await world.worker({ catalogue, providers: { ...settings(), ...own }, retentionDays: 1 });
  return runToEnd(person, 'maker', {}, more);
}

const fetchFile = (jobId: string) => person.get(`/jobs/${jobId}/artifacts/report.txt`);

it('a file is only in the bucket, and is downloaded unchanged', async () => {
  const bytes = randomBytes(700_000);

  const story = await running(({ saveArtifact }) => saveArtifact(file(bytes)));

  expect(linesOf(story)).toContain('1 info saved report.txt: 700000 bytes of text/plain; charset=utf-8');
  expect((await world.db.artifact.findFirstOrThrow()).bytes).toBeNull();
  expect([...s3.objects.values()]).toEqual([{ contentType: 'text/plain; charset=utf-8', bytes }]);
  const answer = await fetch(`${apiUrl}/jobs/${story.job.id}/artifacts/report.txt`, {
    headers: { authorization: `Bearer ${person.token}` },
  });
  expect(answer.headers.get('content-length')).toBe('700000');
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
});

it('an attempt that cannot save its file is retried', async () => {
  s3.behavior = 'down';

  const story = await running(
    async ({ saveArtifact, attempt }) => {
      if (attempt === 2) s3.behavior = 'up';
      await saveArtifact(file(Buffer.from(`attempt ${attempt}`)));
    },
    { max_retries: 1 },
  );

  expect(story.job).toMatchObject({ status: 'done', retries: 1 });
  expect(linesOf(story).join('\n')).toMatch(/the artifact store failed: \w+ \(HTTP 503\)/);
  expect((await fetchFile(story.job.id)).text).toBe('attempt 2');
});

it('a bucket that refuses a file fails the job, and its message does not contain the keys', async () => {
  const story = await running(
    ({ saveArtifact }) => saveArtifact(file(Buffer.from('x'))),
    {},
    {
      ARTIFACTS_S3_SECRET_ACCESS_KEY: 'another-planted-secret',
    },
  );

  expect(story.job.status).toBe('failed');
  expect((await person.get(`/jobs/${story.job.id}/result`)).body.error).toEqual({
    code: 'provider_rejected',
    message: 'the artifact store failed: SignatureDoesNotMatch (HTTP 403)',
  });
  expect(linesOf(story).join('\n')).not.toMatch(/planted/);
});

it('a file is unavailable while its bucket is unreachable, and not found if the bucket has lost it', async () => {
  const { job } = await running(({ saveArtifact }) => saveArtifact(file(Buffer.from('x'))));

  s3.behavior = 'down';
  expect(await fetchFile(job.id)).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  s3.behavior = 'up';
  s3.objects.clear();
  expect((await fetchFile(job.id)).status).toBe(404);
});

describe('a file', () => {
  /** More than the number of connections to the bucket. */
  const MANY = 60;
  let path: string;
  const ask = (method: string, signal: AbortSignal | null = null) =>
    fetch(apiUrl + path, { method, signal, headers: { authorization: `Bearer ${person.token}` } });

  beforeEach(async () => {
    const { job } = await running(({ saveArtifact }) => saveArtifact(file(Buffer.from('x'))));
    path = `/jobs/${job.id}/artifacts/report.txt`;
  });

  it('a file may be requested any number of times without being read', async () => {
    s3.behavior = 'stalling';
    const heads = await Promise.all(Array.from({ length: MANY }, () => ask('HEAD')));
    s3.behavior = 'up';

    expect(new Set(heads.map(({ status }) => status))).toEqual(new Set([200]));
    expect(heads[0]?.headers.get('content-length')).toBe('1');
    expect(await (await ask('GET')).text()).toBe('x');
  });

  it('a download may be closed before its first byte', async () => {
    s3.behavior = 'stalling';
    const before = s3.requests;
    const leaving = new AbortController();
    const left = Promise.allSettled(Array.from({ length: MANY }, () => ask('GET', leaving.signal)));
    await until('the bucket to get a request', () => s3.requests - before >= MANY - 10);
    leaving.abort();
    await left;

    s3.behavior = 'up';
    expect(await (await ask('GET')).text()).toBe('x');
  });
});

it('a bucket that accepts requests and never responds is given up after a time limit', async () => {
  const { job } = await running(({ saveArtifact }) => saveArtifact(file(Buffer.from('x'))));
  const bucket = artifactStores.open(settings(), { log: silentLogger });

  s3.behavior = 'silent';
  const [answer, deleting] = await Promise.allSettled([fetchFile(job.id), bucket?.deleteUnder('x/')]);
  bucket?.close();

  expect(answer).toMatchObject({ value: { status: 503, body: { error: { code: 'unavailable' } } } });
  expect(deleting).toMatchObject({ reason: { kind: 'transient' } });
});

it('expired files are deleted from the bucket too, including files that were never recorded', async () => {
  const { job } = await running(async ({ saveArtifact, idempotencyKey }) => {
    for (const name of ['a', 'b', 'c', 'd']) await saveArtifact(file(Buffer.from(name), name));
    s3.objects.set(`jobline/${idempotencyKey}/lost/0`, { contentType: 'text/plain', bytes: Buffer.from('lost') });
    s3.objects.set('another/service', { contentType: 'text/plain', bytes: Buffer.from('kept') });
  });
  expect(s3.objects.size).toBe(6);
  await outlive(job.id);
  await nothingLeft();
  expect(await world.db.artifact.count()).toBe(0);
  expect([...s3.objects.keys()]).toEqual(['another/service']);
});

it('files of a failed attempt that were never recorded are deleted with their job', async () => {
  const { job } = await running(({ idempotencyKey }) => {
    s3.objects.set(`jobline/${idempotencyKey}/lost/0`, { contentType: 'text/plain', bytes: Buffer.from('lost') });
    throw new PermanentError('this cannot be done');
  });
  expect(s3.objects.size).toBe(1);

  await outlive(job.id);
  await nothingLeft();
  expect(s3.objects.size).toBe(0);
});

it('an unreachable bucket keeps only the files of a deleted job, and they are deleted later', async () => {
  const { job } = await running(({ saveArtifact }) => saveArtifact(file(Buffer.from('x'))));
  s3.behavior = 'down';
  await outlive(job.id);
  expect((await person.post(`/jobs/${job.id}/retry`)).status).toBe(404);
  expect(s3.objects.size).toBe(1);
  await worker.stop();

  s3.behavior = 'up';
  await world.worker({ providers: settings(), retentionDays: 1 });
  await until('the file to be gone', () => s3.objects.size === 0);
  await nothingLeft();
});

it('files that the bucket refuses to delete stop neither the deletion of jobs nor that of other files', async () => {
  const { job } = await running(({ saveArtifact }) => saveArtifact(file(Buffer.from('x'))));
  // As many as retention tries at once, with keys before that of the job.
  const keys = Array.from({ length: 10 }, (_, n) => `00000000-0000-6000-8000-00000000000${n}`);
  for (const key of keys) {
    s3.objects.set(`jobline/${key}/kept/0`, { contentType: 'text/plain', bytes: Buffer.from('kept') });
    s3.locked.add(`jobline/${key}/kept/0`);
  }
  await world.db.deletedJob.createMany({ data: keys.map((key) => ({ key, hasFiles: true })) });

  await outlive(job.id);
  await until('the other file to be gone', () => s3.objects.size === keys.length);
  await until('the job to be forgotten', async () => (await world.db.deletedJob.count()) === keys.length);
  await worker.stop();

  s3.locked.clear();
  await world.worker({ providers: settings(), retentionDays: 1 });
  await nothingLeft();
  expect(s3.objects.size).toBe(0);
});

/** Resolves when the logs and files of deleted jobs are deleted too. */
const nothingLeft = () => until('nothing to be left', async () => (await world.db.deletedJob.count()) === 0);

/** Resolves when the job has become older than jobs are kept, and was deleted. */
async function outlive(id: string): Promise<void> {
  // It has just searched for old rows, and now pauses.
  await worker.stop();
  const old = '00000000-0000-7000-8000-000000000001';
  await world.db.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE artifacts SET job_key = ${old}::uuid`;
    await tx.$executeRaw`UPDATE jobs SET key = ${old}::uuid, finished_at = now() - interval '2 days' WHERE id = ${id}`;
  });
  const [key] = [...s3.objects.keys()].map((name) => name.split('/')[1] ?? '');
  for (const [name, object] of [...s3.objects]) {
    s3.objects.delete(name);
    s3.objects.set(name.replace(String(key), old), object);
  }
  worker = await world.worker({ providers: settings(), retentionDays: 1 });

  await until('the job to be gone', async () => (await world.db.job.count()) === 0);
}
