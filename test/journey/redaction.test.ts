import type { JobKey, OrgId } from '@jobline/contracts';
import { listDueForRedaction, redactJobs, retryFailed } from '@jobline/db/job-transitions';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createWorld,
  finishedJob,
  type Person,
  register,
  runToEnd,
  submitJob,
  type TestApi,
  until,
  type World,
} from '../harness/index.js';

const PAGE = { lagMs: 600_000, limit: 200, bytes: 1024 * 1024 };

let world: World;
let api: TestApi;
let person: Person;
let orgId: OrgId;

beforeEach(async () => {
  world = await createWorld();
  api = await world.api();
  person = await register(api.call);
  // The cast: the API returned it as an organization's id.
  orgId = person.orgId as OrgId;
});
afterEach(() => world.end());

async function redact(payloadKeys: string[], afterDays = 0): Promise<void> {
  await person.patch('/org/settings', { redact: { payload_keys: payloadKeys, after_days: afterDays } });
}

/** Failed jobs that ended so long ago, a millisecond apart. */
async function endedJobs(payloads: readonly object[], hoursAgo = 1): Promise<JobKey[]> {
  const rows = await world.db.$queryRaw<{ key: JobKey }[]>`
    INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, error_code, run_at, created_at, updated_at, finished_at)
    SELECT gen_random_uuid(), ${orgId}::uuid, 'job-' || n, 'custom', 'io', payload::json, 'failed', 1, 'handler_error', now(), now(), now(),
      now() - ${hoursAgo}::float8 * interval '1 hour' + n * interval '1 ms'
    FROM unnest(${payloads.map((payload) => JSON.stringify(payload))}::text[]) WITH ORDINALITY AS p(payload, n) ORDER BY n
    RETURNING key`;
  return rows.map(({ key }) => key);
}

/** The stored payloads, in the order in which the jobs ended. */
async function storedPayloads(): Promise<unknown[]> {
  const rows = await world.db.$queryRaw<{ payload: string }[]>`
    SELECT payload::text AS payload FROM jobs WHERE org_id = ${orgId}::uuid ORDER BY finished_at`;
  return rows.map(({ payload }) => JSON.parse(payload));
}

const countRedacted = () => world.db.job.count({ where: { orgId, redactedAt: { not: null } } });
const nextKeys = async (keys: string[], page = PAGE) =>
  (await listDueForRedaction(world.db, { orgId, keys }, page)).jobs.map(({ key }) => key);

async function untilWaiting(part: string): Promise<void> {
  await until('a statement to wait', async () => {
    const waiting = await world.db.$queryRaw<unknown[]>`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${`%${part}%`}`;
    return waiting.length > 0;
  });
}

describe('redaction in the database', () => {
  it('deletes the values of every job of which some must be redacted, and changes no other', async () => {
    const many = Array.from({ length: 450 }, (_, n) => (n % 3 === 0 ? { card: n, n } : { n }));
    await endedJobs(many);
    await redact(['card']);
    await world.worker();
    await until('the jobs to be redacted', async () => (await countRedacted()) === 150);

    const expected = many.map((payload) => ('card' in payload ? { ...payload, card: '[redacted]' } : payload));
    expect(await storedPayloads()).toEqual(expected);
  });

  it('values stay deleted, and the job stays redacted, when the organization redacts nothing any more', async () => {
    await endedJobs([{ card: 1 }]);
    await redact(['card']);
    await world.worker();
    await until('the job to be redacted', async () => (await countRedacted()) === 1);
    await redact([]);

    expect((await person.get('/jobs/job-1')).body.payload).toEqual({ card: '[redacted]' });
    expect((await person.post('/jobs/job-1/retry')).status).toBe(409);
    expect((await person.post('/jobs/job-1/rerun')).status).toBe(409);
  });

  it('examines all jobs again when the organization chooses other keys', async () => {
    await endedJobs([{ card: 1, pin: 2 }, { pin: 3 }]);
    await redact(['card']);
    const worker = await world.worker();
    await until('a job to be redacted', async () => (await countRedacted()) === 1);
    await worker.stop();
    await until('the position to be stored', async () => (await nextKeys(['card'])).length === 0);

    await redact(['card'], 1);
    expect(await nextKeys(['card'])).toEqual([]);
    await redact(['pin']);
    await world.worker();
    await until('both to be redacted', async () => (await countRedacted()) === 2);
    expect(await storedPayloads()).toEqual([{ card: '[redacted]', pin: '[redacted]' }, { pin: '[redacted]' }]);
  });

  it('leaves jobs that ended a moment ago for later, because others may be committed that ended before', async () => {
    const [old = ''] = await endedJobs([{ card: 1 }], 0.2);
    await redact(['card']);
    const id = await submitJob(person, 'custom', { card: 2 });
    await person.post(`/jobs/${id}/cancel`);

    expect(await nextKeys(['card'])).toEqual([old]);
    await redact(['card'], 1);
    expect(await nextKeys(['card'])).toEqual([]);
  });

  it('reads a limited number of jobs and of bytes at a time, but at least one job', async () => {
    const keys = await endedJobs([{ card: 'x'.repeat(5_000) }, { n: 'x'.repeat(9_000) }, { card: 1 }, { card: 2 }]);
    await redact(['card']);

    expect(await nextKeys(['card'], { ...PAGE, limit: 3 })).toEqual(keys.slice(0, 3));
    expect(await nextKeys(['card'], { ...PAGE, bytes: 100 })).toEqual(keys.slice(0, 1));
    expect(await nextKeys(['card'], { ...PAGE, bytes: 5_030 })).toEqual(keys);
    expect(await nextKeys(['other'])).toEqual([]);
  });

  it('redacts what messages, payments and events have of the values, and nothing else of them', async () => {
    const payload = {
      to: 'ada@example.com',
      template: 't',
      phone: '254700000001',
      amount: 7,
      ref: 'R1',
      data: { n: 1 },
    };
    const [key = ''] = await endedJobs([payload]);
    const at = new Date();
    const times = { createdAt: at, updatedAt: at };
    const texts = { recipient: payload.to, sender: 's@example.com', subject: 'Hi', body: 'Text' };
    await world.db.message.create({
      data: { id: key, orgId, channel: 'email', provider: 'x', ...texts, jobKey: key, calledAt: at, ...times },
    });
    const { phone, amount, ref } = payload;
    await world.db.payment.create({
      data: { id: key, orgId, jobKey: key, provider: 'x', phone, amount, ref, status: 'prompted', updatedAt: at },
    });
    const event = { orgId, jobKey: key, isPlanned: true, createdAt: at };
    const message = { ...event, type: 'message.sent', data: { id: key, to: payload.to, from: texts.sender } };
    const { id: eventId } = await world.db.webhookEvent.create({ data: message });
    await redact(['to', 'amount', 'id']);
    await world.worker();
    await until('the job to be redacted', async () => (await countRedacted()) === 1);

    expect(await world.db.message.findFirst({ where: { id: key } })).toMatchObject({
      recipient: '[redacted]',
      sender: texts.sender,
      // A template may contain any value.
      subject: '[redacted]',
      body: '[redacted]',
    });
    expect(await world.db.payment.findFirst({ where: { id: key } })).toMatchObject({ phone, amount: null, ref });
    expect(await world.db.webhookEvent.findFirst({ where: { id: eventId } })).toMatchObject({
      data: { id: key, to: '[redacted]', from: texts.sender },
    });
  });
});

describe('a retry and a redaction at the same time', () => {
  const redactedJob = async (key: JobKey) => ({
    key,
    finishedAt: (await world.db.job.findFirstOrThrow({ where: { key } })).finishedAt ?? new Date(0),
    payload: '{"card":"[redacted]"}',
  });

  it('a job that is retried first keeps its values', async () => {
    const [key] = await endedJobs([{ card: 1 }]);
    if (!key) throw new Error('no job');
    const job = await redactedJob(key);

    const redacting = await world.db.$transaction(async (tx) => {
      expect(await retryFailed(tx, key, false, 'retried')).not.toBeNull();
      const done = redactJobs(world.db, ['card'], [job]);
      await untilWaiting('UPDATE finished_jobs f SET redacted_at');
      return { done };
    });

    await redacting.done;
    expect(await storedPayloads()).toEqual([{ card: 1 }]);
  });

  it('a job that is redacted first is not retried', async () => {
    await redact(['card'], 30);
    const [key] = await endedJobs([{ card: 1 }]);
    if (!key) throw new Error('no job');
    const job = await redactedJob(key);

    const retrying = await world.db.$transaction(async (tx) => {
      await redactJobs(tx, ['card'], [job]);
      const answer = person.post('/jobs/job-1/retry');
      await untilWaiting('DELETE FROM finished_jobs f USING');
      return { answer };
    });

    expect((await retrying.answer).status).toBe(409);
    expect((await person.get('/jobs/job-1')).body).toMatchObject({ status: 'failed', payload: { card: '[redacted]' } });
  });

  it('a job that ended again since it was read keeps its values', async () => {
    const [key] = await endedJobs([{ card: 1 }]);
    if (!key) throw new Error('no job');
    const job = await redactedJob(key);
    await retryFailed(world.db, key, false, 'retried');
    await person.post('/jobs/job-1/cancel');

    await redactJobs(world.db, ['card'], [job]);
    expect(await storedPayloads()).toEqual([{ card: 1 }]);
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
    await redact(['card'], 1);
    await world.worker({ catalogue: createCatalogue([handler]) });
    const { job } = await runToEnd(person, 'fails', { card: 1 }, { max_retries: 1 });
    expect((await person.post(`/jobs/${job.id}/retry`)).status).toBe(202);
    await finishedJob(person, job.id);
    await redact(['card']);

    const bulk = (action: string) => person.post('/jobs/bulk', { action, filter: { type: 'fails' } });
    const ids = [(await bulk('retry')).body.id, (await bulk('rerun')).body.id];
    expect((await person.post(`/jobs/${job.id}/retry`)).status).toBe(409);
    expect((await person.post(`/jobs/${job.id}/rerun`)).status).toBe(409);
    for (const id of ids) {
      await until('the bulk action', async () => (await person.get(`/jobs/bulk/${id}`)).body.status === 'done');
    }
    expect((await person.get('/jobs?status=pending')).body).toEqual([]);
    expect(seen).toEqual([{ card: 1 }, { card: 1 }, { card: 1 }, { card: 1 }]);
  });
});
