import { randomBytes, randomUUID } from 'node:crypto';
import type { JobKey } from '@jobline/contracts';
import { createCatalogue, defineHandler, type RunContext } from '@jobline/handlers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, linesOf, type Person, register, runToEnd, startProxy, type World } from '../harness/index.js';

let world: World;
let person: Person;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
});
afterEach(() => world.end());

const file = (bytes: Uint8Array, name = 'report.txt') => ({ name, contentType: 'text/plain; charset=utf-8', bytes });

/** Runs a job whose handler does this. */
async function running(run: (ctx: RunContext) => Promise<unknown>, more: object = {}, databaseUrl = world.databaseUrl) {
  const catalogue = createCatalogue([defineHandler({ type: 'maker', run: (_payload, ctx) => run(ctx) })]);
  await world.worker({ catalogue, databaseUrl });
  const story = await runToEnd(person, 'maker', {}, more);
  return { story, id: story.job.id, list: (await person.get(`/jobs/${story.job.id}/artifacts`)).body };
}

it('a file that a handler saves is available unchanged when its job is done, and the log names it', async () => {
  const bytes = randomBytes(700_000);

  const { story, id, list } = await running(({ saveArtifact }) => saveArtifact(file(bytes)));

  expect(list).toMatchObject([{ name: 'report.txt', content_type: 'text/plain; charset=utf-8', size: 700_000 }]);
  expect(linesOf(story)).toContain('1 info saved report.txt: 700000 bytes of text/plain; charset=utf-8');
  const stored = await world.db.artifact.findFirstOrThrow();
  expect(Buffer.from(stored.bytes ?? '').equals(bytes)).toBe(true);
  expect((await person.get(`/jobs/${id}/artifacts/report.txt`)).headers.get('content-type')).toBe(
    'text/plain; charset=utf-8',
  );
});

it('a later attempt replaces the file that an earlier one saved under the same name', async () => {
  const { story, list } = await running(
    async ({ saveArtifact, attempt }) => {
      await saveArtifact(file(Buffer.from(`attempt ${attempt}`)));
      if (attempt === 1) throw new Error('again');
    },
    { max_retries: 1 },
  );

  expect(story.job.status).toBe('done');
  expect(list).toHaveLength(1);
  expect(Buffer.from((await world.db.artifact.findFirstOrThrow()).bytes ?? '').toString()).toBe('attempt 2');
});

// A worker that was declared dead continues and finishes: its files must not replace those of the later run.
it('a run that has lost its job to a later run can save no file', async () => {
  const errors: unknown[] = [];

  const { story } = await running(async ({ saveArtifact, idempotencyKey, attempt }) => {
    if (attempt > 1) return saveArtifact(file(Buffer.from('of the successor')));
    const lost = await takeOver(idempotencyKey);
    await saveArtifact(file(Buffer.from('of the one before'))).catch((error) => errors.push(error));
    await lost.revert();
  });

  expect(errors).toEqual([new Error('the worker has lost its claim on this job')]);
  expect(story.job.status).toBe('done');
  expect(await world.db.artifact.count()).toBe(0);
});

it.each([
  ['a bad name', file(Buffer.from('x'), '../x'), '"../x" is not a valid artifact name'],
  ['a bad content type', { ...file(Buffer.from('x')), contentType: 'x' }, '"x" is not a content type'],
  ['more than 50 MiB', file(new Uint8Array(50 * 1024 * 1024 + 1)), 'the limit is 52428800'],
])('%s fails the attempt with a clear message', async (_what, artifact, message) => {
  const { story, list } = await running(({ saveArtifact }) => saveArtifact(artifact));

  expect(story.result.error).toMatchObject({ code: 'handler_error', message: expect.stringContaining(message) });
  expect(list).toEqual([]);
});

it('a job has at most 100 artifacts; one of them can still be replaced', async () => {
  const { story, list } = await running(async ({ saveArtifact, log }) => {
    for (let n = 0; n < 100; n++) await saveArtifact(file(Buffer.from('x'), `${n}.txt`));
    await saveArtifact(file(Buffer.from('xy'), '7.txt'));
    log('info', 'replaced one');
    await saveArtifact(file(Buffer.from('x'), 'one-more.txt'));
  });

  expect(story.result.error.message).toBe('a job can have at most 100 artifacts');
  expect(linesOf(story)).toContain('1 info replaced one');
  expect(list).toHaveLength(100);
});

// The statement may have taken effect or not: repeating it replaces the first write and makes sure.
it('a write whose response is lost is repeated, and costs no attempt', async () => {
  const proxy = await startProxy(world.databaseUrl);
  try {
    const { story, list } = await running(
      async ({ saveArtifact }) => {
        const lost = proxy.loseAnswerTo('INSERT INTO artifacts');
        await saveArtifact(file(Buffer.from('once')));
        await lost;
      },
      {},
      proxy.url,
    );

    expect(story.job).toMatchObject({ status: 'done', retries: 0 });
    expect(list).toMatchObject([{ size: 'once'.length }]);
  } finally {
    await proxy.close();
  }
});

/** Gives the job to another run, as a claim does, and returns a function that reverts it. */
async function takeOver(key: JobKey): Promise<{ revert(): Promise<void> }> {
  const { claimToken } = await world.db.job.findUniqueOrThrow({ where: { key } });
  await world.db.job.update({ where: { key }, data: { claimToken: randomUUID() } });
  return {
    async revert() {
      await world.db.job.update({ where: { key }, data: { claimToken } });
    },
  };
}
