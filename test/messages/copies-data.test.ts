import type { JobKey } from '@jobline/contracts';
import { deleteExpiredJobs } from '@jobline/db/job-transitions';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runToEnd, until } from '../harness/index.js';
import { createRedactingWorld, type RedactingWorld } from '../journey/redacting-world.js';

/** What happens later to the messages of an email with several recipients. */

let world: RedactingWorld;

beforeEach(async () => {
  world = await createRedactingWorld();
  await world.worker();
});
afterEach(() => world.end());

const EMAIL = {
  to: 'ada@example.com',
  cc: ['bob@example.com'],
  bcc: ['delivered@sandbox.jobline.test'],
  subject: 'Hello',
  html: '<p>Hi</p>',
};

type Shown = Record<string, string | null>;

async function shown(): Promise<Shown[]> {
  const { body } = await world.person.get('/email/messages');
  const order = [null, 'cc', 'bcc'];
  const sorted = body.sort(
    (a: Shown, b: Shown) => order.indexOf(a.copied_as ?? null) - order.indexOf(b.copied_as ?? null),
  );
  return Promise.all(
    sorted.map(async ({ id }: { id: string }) => (await world.person.get(`/email/messages/${id}`)).body),
  );
}

const pick = (field: string) => async () => (await shown()).map((message) => message[field]);
const recipients = pick('to');
const texts = pick('body');

async function eventData(): Promise<Record<string, Shown>> {
  const rows = await world.db.$queryRaw<{ data: Shown }[]>`
    SELECT data::jsonb AS data FROM webhook_events WHERE type = 'message.sent' AND org_id = ${world.orgId}::uuid`;
  return Object.fromEntries(rows.map(({ data }) => [data.copied_as ?? 'to', data]));
}

it('each recipient has an outcome of its own in the sandbox', async () => {
  await runToEnd(world.person, 'send_email', EMAIL);

  await until('the outcome', async () => (await shown()).some(({ status }) => status === 'delivered'));
  expect((await shown()).map(({ to, status }) => [to, status])).toEqual([
    ['ada@example.com', 'sent'],
    ['bob@example.com', 'sent'],
    ['delivered@sandbox.jobline.test', 'delivered'],
  ]);
});

it('the recipients and the text of copies are redacted by the keys of the payload, in the history and in events', async () => {
  await world.person.post('/org/webhooks', { url: 'https://hooks.example.com/a', events: ['message.*'] });
  const { job } = await runToEnd(world.person, 'send_email', EMAIL);
  expect(await eventData()).toMatchObject({
    to: { to: 'ada@example.com', copied_as: null, job_id: job.id },
    cc: { to: 'bob@example.com', copied_as: 'cc', job_id: job.id },
    bcc: { to: 'delivered@sandbox.jobline.test', copied_as: 'bcc', job_id: job.id },
  });

  await world.redact(['cc', 'html']);

  const redacted = ['ada@example.com', '[redacted]', 'delivered@sandbox.jobline.test'];
  expect(await recipients()).toEqual(redacted);
  expect(await texts()).toEqual(['[redacted]', '[redacted]', '[redacted]']);
  expect((await world.person.delete(`/jobs/${job.id}`)).status).toBe(204);
  await world.redact([]);
  expect(await recipients()).toEqual(redacted);
  expect(await texts()).toEqual([null, null, null]);
  const { to, cc, bcc } = await eventData();
  expect([to?.to, cc?.to, bcc?.to]).toEqual(redacted);
});

it('the task of redaction and the retention of jobs include copies', async () => {
  const { job } = await runToEnd(world.person, 'send_email', EMAIL);
  await world.db.$executeRaw`UPDATE finished_jobs SET finished_at = finished_at - interval '1 day'`;
  await world.redact(['bcc']);
  await until('the job to be redacted', async () => (await world.countRedacted()) === 1);
  await world.redact([]);
  expect(await recipients()).toEqual(['ada@example.com', 'bob@example.com', '[redacted]']);

  const { key } = await world.db.job.findFirstOrThrow({ where: { id: job.id } });
  // The cast: it is the key of a job.
  expect(await deleteExpiredJobs(world.db, [key as JobKey], 0)).toBe(1);

  expect(await world.db.message.count({ where: { orgId: world.orgId } })).toBe(0);
});
