import { randomBytes } from 'node:crypto';
import { createCatalogue, defineHandler, type RunContext, type Source } from '@jobline/handlers';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  until,
  uploadFile,
  type World,
} from '../harness/index.js';
import { photo } from '../image/samples.js';
import { startS3 } from '../providers/s3-stand-in.js';

let world: World;
let person: Person;
/** Settings of the artifact store. */
let providers: Record<string, string>;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  providers = {};
});
afterEach(async () => {
  await world.end();
  for (const end of ends.splice(0)) await end();
});

async function begin(): Promise<void> {
  world = await createWorld();
  person = await register((await world.api({ providers })).call);
}

/** A worker with a type that does this. */
function working(run: (payload: { source: Source }, ctx: RunContext) => Promise<unknown>) {
  const maker = defineHandler<{ source: Source }>({ type: 'maker', run });
  return world.worker({ catalogue: createCatalogue([maker]), providers, retentionDays: 1 });
}

describe.each(['Postgres', 'a bucket'])('with bytes in %s', (where) => {
  let objects: ReadonlyMap<string, unknown>;

  beforeEach(async () => {
    objects = new Map();
    if (where === 'a bucket') {
      const s3 = await startS3();
      ends.push(() => s3.close());
      objects = s3.objects;
      providers = {
        ARTIFACTS: 's3',
        ARTIFACTS_S3_BUCKET: s3.bucket,
        ARTIFACTS_S3_REGION: s3.region,
        ARTIFACTS_S3_ENDPOINT: s3.url,
        ARTIFACTS_S3_ACCESS_KEY_ID: s3.accessKeyId,
        ARTIFACTS_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      };
    }
    await begin();
  });

  it('an image is compressed from a file, and from the only artifact of another job', async () => {
    await world.worker({ providers });
    const file = await uploadFile(person, new Uint8Array(await photo(800, 600).jpeg().toBuffer()));

    const first = await runToEnd(person, 'compress_image', { source: { file }, width: 400 });
    expect(first.job.status, linesOf(first).join('\n')).toBe('done');
    expect(first.result.result).toMatchObject({ artifact: 'compressed-400.jpg', width: 400, height: 300 });
    for (const source of [{ job: first.job.id }, { job: first.job.id, artifact: 'compressed-400.jpg' }]) {
      const second = await runToEnd(person, 'compress_image', { source, width: 100, format: 'png' });

      expect(second.job.status, linesOf(second).join('\n')).toBe('done');
      const { bytes } = await person.get(`/jobs/${second.job.id}/artifacts/compressed-100.png`);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 100, height: 75 });
    }
  });

  it('a file of several parts is read unchanged by a handler and by a download, and its deletion leaves nothing', async () => {
    const bytes = randomBytes(2_500_000);
    let read: Uint8Array | undefined;
    await working(async ({ source }, ctx) => {
      const found = await ctx.readSource(source, 3_000_000);
      read = found.bytes;
      return { name: found.name, type: found.contentType };
    });
    const file = await uploadFile(person, bytes, 'name=b.bin');

    const story = await runToEnd(person, 'maker', { source: { file } });

    expect(story.result.result).toEqual({ name: 'b.bin', type: 'application/octet-stream' });
    expect(Buffer.from(read ?? []).equals(bytes)).toBe(true);
    expect(Buffer.from((await person.get(`/files/${file}/content`)).bytes).equals(bytes)).toBe(true);
    const inBucket = () => [...objects.keys()].filter((key) => key.includes(file));
    expect(inBucket()).toHaveLength(where === 'a bucket' ? 3 : 0);
    expect(await world.db.filePart.count()).toBe(where === 'a bucket' ? 0 : 3);
    expect((await person.delete(`/files/${file}`)).status).toBe(204);
    expect(inBucket()).toEqual([]);
    expect(await world.db.filePart.count()).toBe(0);
  });

  it('retention deletes expired files, but not those that an unfinished job needs', async () => {
    const [needed, expired, kept] = await Promise.all([1, 2, 3].map((n) => uploadFile(person, randomBytes(n))));
    const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
    const id = await submitJob(person, 'compress_image', { source: { file: needed } }, later);
    const before = new Date(Date.now() - 60_000);
    await world.db.file.updateMany({
      where: { id: { in: [needed ?? '', expired ?? ''] } },
      data: { expiresAt: before },
    });

    await world.worker({ providers });
    const left = async () => (await world.db.file.findMany({ orderBy: { size: 'asc' } })).map((file) => file.id);
    await until('the expired file to be deleted', async () => (await left()).length === 2);

    expect(await left()).toEqual([needed, kept]);
    if (where === 'a bucket') expect([...objects.keys()].filter((key) => key.includes(expired ?? ''))).toEqual([]);
    expect((await person.get(`/files/${needed}/content`)).bytes).toHaveLength(1);
    await person.post(`/jobs/${id}/cancel`);
    expect((await person.get(`/files/${needed}`)).status).toBe(404);
  });
});

describe('a source that cannot be read', () => {
  beforeEach(begin);
  const failure = (story: Awaited<ReturnType<typeof runToEnd>>) => ({
    ...story.result.error,
    retries: story.job.retries,
  });

  it('fails a job without a retry, and the message names the path in the payload', async () => {
    const file = await uploadFile(person, randomBytes(9));
    const id = await submitJob(person, 'compress_image', { source: { file } }, { max_retries: 3 });
    await world.db.jobSource.deleteMany();
    await world.db.file.deleteMany();

    await world.worker();

    expect(failure(await finishedJob(person, id))).toEqual({
      code: 'invalid_payload',
      message: `payload.source cannot be read: the file ${file} does not exist (any more)`,
      retries: 0,
    });
  });

  it('fails a job whose image is larger than may be', async () => {
    const file = await uploadFile(person, randomBytes(9));
    const large = await uploadFile(person, randomBytes(9));
    await world.db.file.update({ where: { id: large }, data: { size: 26 * 1024 * 1024 } });
    await world.worker();

    const story = await runToEnd(person, 'compress_image', { source: { file: large } }, { max_retries: 3 });

    expect(failure(story)).toEqual({
      code: 'invalid_payload',
      message: 'payload.source has 27262976 bytes; the limit is 26214400',
      retries: 0,
    });
    expect((await runToEnd(person, 'compress_image', { source: { file } })).result.error.code).not.toBe('internal');
  });

  it('fails a job of an own type: another organization has it, or the job has no or several artifacts', async () => {
    const theirs = await uploadFile(await register((await world.api()).call), randomBytes(9));
    await working(async ({ source }, ctx) => {
      const { bytes } = await ctx.readSource(source, 100);
      for (const name of ['a', 'b']) await ctx.saveArtifact({ name, contentType: 'text/plain', bytes });
    });
    const mine = await uploadFile(person, randomBytes(9));
    const { job } = await runToEnd(person, 'maker', { source: { file: mine } });
    expect(job.status).toBe('done');

    for (const [source, message] of [
      [{ file: theirs }, /^the file [\w-]+ cannot be read: the file [\w-]+ does not exist \(any more\)$/],
      [{ job: 'none' }, /^the only artifact of job "none" cannot be read: job "none" does not exist/],
      [{ job: job.id }, /does not have exactly one artifact$/],
      [{ job: job.id, artifact: 'c' }, /the artifact "c" of job ".+" does not exist/],
    ] as const) {
      const { error } = (await runToEnd(person, 'maker', { source })).result;
      expect(error).toEqual({ code: 'invalid_payload', message: expect.stringMatching(message) });
    }
    expect((await runToEnd(person, 'maker', { source: { job: job.id, artifact: 'b' } })).job.status).toBe('done');
    const image = { type: 'compress_image', payload: { source: { job: job.id } } };
    expect((await person.post('/jobs', image)).body.error.details).toMatchObject([{ path: 'payload.source' }]);
  });
});

it('a job cannot be deleted while an unfinished job takes an artifact of it, and is not deleted by retention', async () => {
  await begin();
  await working((_payload, ctx) => ctx.saveArtifact({ name: 'a', contentType: 'text/plain', bytes: randomBytes(9) }));
  const { job } = await runToEnd(person, 'maker', {});
  const later = { run_at: new Date(Date.now() + 3_600_000).toISOString() };
  const id = await submitJob(person, 'compress_image', { source: { job: job.id } }, later);
  const other = await runToEnd(person, 'maker', {});

  const refused = await person.delete(`/jobs/${job.id}`);
  expect(refused.status).toBe(409);
  expect(refused.body.error.message).toContain(id);
  const bulk = await person.post('/jobs/bulk', { action: 'delete', filter: { ids: [job.id, other.job.id] } });
  const ended = await until('the bulk action to end', async () => {
    const { body } = await person.get(`/jobs/bulk/${bulk.body.id}`);
    return body.status === 'done' && body;
  });
  expect(ended).toMatchObject({ done: 1, skipped: 1 });

  await person.post(`/jobs/${id}/cancel`);
  expect((await person.delete(`/jobs/${job.id}`)).status).toBe(204);
  expect((await person.post(`/jobs/${id}/retry`)).body.error).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`job "${job.id}"`),
  });
});

it('attempts wait until there is memory for what they read, and free it when they end', async () => {
  await begin();
  const file = await uploadFile(person, randomBytes(1_000));
  let [reading, most] = [0, 0];
  const run = async ({ source }: { source: Source }, ctx: RunContext) => {
    await ctx.readSource(source, 1_000);
    most = Math.max(most, ++reading);
    // The other attempts have their turns meanwhile.
    for (let n = 0; n < 10; n++) await ctx.readSource(source, 1_000);
    reading--;
  };
  const catalogue = createCatalogue([defineHandler<{ source: Source }>({ type: 'maker', run })]);
  await world.alone.worker({ catalogue, sourceBytes: 4_000 });

  const jobs = Array.from({ length: 30 }, () => ({ type: 'maker', payload: { source: { file } } }));
  const { body } = await person.post('/jobs/batch', { jobs });

  for (const { id } of body.jobs) expect((await finishedJob(person, id)).job.status).toBe('done');
  // Half of the memory is for one organization.
  expect(most).toBe(2);
  expect(reading).toBe(0);
});
