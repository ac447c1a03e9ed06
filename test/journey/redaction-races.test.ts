import type { JobKey } from '@jobline/contracts';
import { redactJobs, retryFailed } from '@jobline/db/job-transitions';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishedJob, runToEnd, until } from '../harness/index.js';
import { createRedactingWorld, type RedactingWorld } from './redacting-world.js';

let world: RedactingWorld;

beforeEach(async () => {
  world = await createRedactingWorld();
});
afterEach(() => world.end());

async function untilWaiting(part: string): Promise<void> {
  await until('a statement to wait', async () => {
    const waiting = await world.db.$queryRaw<unknown[]>`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${`%${part}%`}`;
    return waiting.length > 0;
  });
}

describe('a retry and a redaction at the same time', () => {
  const redactedJob = async (key: JobKey) => ({
    key,
    finishedAt: (await world.db.job.findFirstOrThrow({ where: { key } })).finishedAt ?? new Date(0),
    payload: '{"card":"[redacted]"}',
  });

  it('a job that is retried first keeps its values', async () => {
    const [key] = await world.endedJobs([{ card: 1 }]);
    if (!key) throw new Error('no job');
    const job = await redactedJob(key);

    const redacting = await world.db.$transaction(async (tx) => {
      expect(await retryFailed(tx, key, false, 'retried')).not.toBeNull();
      const done = redactJobs(world.db, ['card'], [job]);
      await untilWaiting('UPDATE finished_jobs f SET redacted_at');
      return { done };
    });

    await redacting.done;
    expect(await world.storedPayloads()).toEqual([{ card: 1 }]);
  });

  it('a job that is redacted first is not retried', async () => {
    await world.redact(['card'], 30);
    const [key] = await world.endedJobs([{ card: 1 }]);
    if (!key) throw new Error('no job');
    const job = await redactedJob(key);

    const retrying = await world.db.$transaction(async (tx) => {
      await redactJobs(tx, ['card'], [job]);
      const answer = world.person.post('/jobs/job-1/retry');
      await untilWaiting('FROM finished_jobs WHERE key');
      return { answer };
    });

    expect((await retrying.answer).status).toBe(409);
    expect((await world.person.get('/jobs/job-1')).body).toMatchObject({
      status: 'failed',
      payload: { card: '[redacted]' },
    });
  });

  it('a job that finished again since it was read keeps its values', async () => {
    const [key] = await world.endedJobs([{ card: 1 }]);
    if (!key) throw new Error('no job');
    const job = await redactedJob(key);
    await retryFailed(world.db, key, false, 'retried');
    await world.person.post('/jobs/job-1/cancel');

    await redactJobs(world.db, ['card'], [job]);
    expect(await world.storedPayloads()).toEqual([{ card: 1 }]);
  });

  it('no handler ever gets a redacted value, whatever is requested', async () => {
    const seen: unknown[] = [];
    const handler = defineHandler({
      type: 'fails',
      async run(payload) {
        seen.push(payload);
        throw new Error('it broke');
      },
    });
    await world.redact(['card'], 1);
    await world.worker({ catalogue: createCatalogue([handler]) });
    const { job } = await runToEnd(world.person, 'fails', { card: 1 }, { max_retries: 1 });
    expect((await world.person.post(`/jobs/${job.id}/retry`)).status).toBe(202);
    await finishedJob(world.person, job.id);
    await world.redact(['card']);

    const bulk = (action: string) => world.person.post('/jobs/bulk', { action, filter: { type: 'fails' } });
    const ids = [(await bulk('retry')).body.id, (await bulk('rerun')).body.id];
    expect((await world.person.post(`/jobs/${job.id}/retry`)).status).toBe(409);
    expect((await world.person.post(`/jobs/${job.id}/rerun`)).status).toBe(409);
    for (const id of ids) {
      await until('the bulk action', async () => (await world.person.get(`/jobs/bulk/${id}`)).body.status === 'done');
    }
    expect((await world.person.get('/jobs?status=pending')).body).toEqual([]);
    expect(seen).toEqual([{ card: 1 }, { card: 1 }, { card: 1 }, { card: 1 }]);
  });
});
