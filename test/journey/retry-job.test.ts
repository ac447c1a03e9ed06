import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  linesOf,
  type Person,
  register,
  runToEnd,
  submitJob,
  type World,
} from '../harness/index.js';

let world: World;
let person: Person;
/** What the handler received, by the name in its payload. */
const seen = new Map<string, { attempt: number; idempotencyKey: string }[]>();
let isBroken = true;

/** Saves a file, and fails while `isBroken` is set. */
const shaky = defineHandler<{ name: string }>({
  type: 'shaky',
  async run({ name }, { attempt, idempotencyKey, saveArtifact }) {
    const runs = seen.get(name) ?? [];
    seen.set(name, [...runs, { attempt, idempotencyKey }]);
    const bytes = Buffer.from(`made by attempt ${attempt}`);
    await saveArtifact({ name: 'report.txt', contentType: 'text/plain; charset=utf-8', bytes });
    if (isBroken) throw new Error('still broken');
    return { attempt };
  },
});

beforeAll(async () => {
  world = await createWorld();
  const api = await world.api();
  await world.worker({ catalogue: createCatalogue([shaky]) });
  person = await register(api.call);
});
afterAll(() => world.end());

const retry = (id: string) => person.post(`/jobs/${id}/retry`);

describe('a failed job that is retried manually', () => {
  it('a failed job that is retried manually runs with all its retries, continued attempt numbers and the same idempotency key', async () => {
    isBroken = true;
    const { job } = await runToEnd(person, 'shaky', { name: 'again' }, { max_retries: 1 });
    expect(job).toMatchObject({ status: 'failed', retries: 1 });

    expect((await retry(job.id)).status).toBe(202);
    const failedAgain = await finishedJob(person, job.id);
    isBroken = false;
    expect((await retry(job.id)).status).toBe(202);
    const story = await finishedJob(person, job.id);

    expect(failedAgain.job).toMatchObject({ status: 'failed', retries: 1 });
    expect(story.job).toMatchObject({ status: 'done', retries: 0, max_retries: 1 });
    expect(story.result).toMatchObject({ result: { attempt: 5 }, error: null });
    const runs = seen.get('again') ?? [];
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(linesOf(story).filter((line) => /retried manually|failed|succeeded/.test(line))).toEqual([
      expect.stringMatching(/^1 error attempt 1 failed: still broken; the next/),
      expect.stringMatching(/^2 error attempt 2 failed: still broken; no attempt follows/),
      '2 info retried manually; all retries are available again',
      expect.stringMatching(/^3 error attempt 3 failed: still broken; the next/),
      expect.stringMatching(/^4 error attempt 4 failed: still broken; no attempt follows/),
      '4 info retried manually; all retries are available again',
      expect.stringMatching(/^5 info attempt 5 succeeded/),
    ]);
  });

  it('a manual retry replaces the file of an earlier attempt', async () => {
    isBroken = true;
    const { job } = await runToEnd(person, 'shaky', { name: 'file' });
    isBroken = false;
    await retry(job.id);
    await finishedJob(person, job.id);

    const artifacts = await person.get(`/jobs/${job.id}/artifacts`);
    expect(artifacts.body.map(({ name }: { name: string }) => name)).toEqual(['report.txt']);
    expect((await person.get(`/jobs/${job.id}/artifacts/report.txt`)).text).toBe('made by attempt 2');
  });

  it('a manual retry fails again, in one more attempt, while no worker has its type', async () => {
    const { job } = await runToEnd(person, 'unknown', {});
    await retry(job.id);

    const story = await finishedJob(person, job.id);

    expect(story.result).toMatchObject({ status: 'failed', error: { code: 'no_handler' } });
    expect(linesOf(story)).toEqual([
      '1 warn no handler is registered for type "unknown"',
      expect.stringMatching(/^1 info retried manually/),
      '2 warn no handler is registered for type "unknown"',
    ]);
  });

  it('a job that was canceled before its start runs after a manual retry', async () => {
    isBroken = false;
    const id = await submitJob(
      person,
      'shaky',
      { name: 'canceled' },
      { run_at: new Date(Date.now() + 3_600_000).toISOString() },
    );
    expect((await person.post(`/jobs/${id}/cancel`)).body.status).toBe('failed');

    await retry(id);

    const story = await finishedJob(person, id);
    expect(story.job.status).toBe('done');
    expect(seen.get('canceled')?.map(({ attempt }) => attempt)).toEqual([1]);
  });
});
