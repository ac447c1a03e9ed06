import { createHash, randomUUID } from 'node:crypto';
import type { Db } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { createCatalogue, defineHandler } from '@jobline/handlers';
import { expect, it } from 'vitest';
import { callsAs, finishedJob, linesOf, type Person, redisUrl, startApi, startTestWorker } from '../harness/index.js';
import { withDatabaseBefore } from './database-before.js';

/** The first migration after the baseline. */
const SECOND = '20261123120000_attempts';
const ORG = randomUUID();
const OWNER = randomUUID();
const EMAIL = 'owner@example.com';
const PASSWORD = 'correct horse battery';
/** Of the password above. */
const PASSWORD_HASH = '$2b$04$dwjKIc1UayFPjAJLN1UaZuHbmPOCmga3MMkt7MHLi.dkPbNabVrRK';
const KEY = 'jl_K3mOvwDpf0Jnn1lqr8tVSOSwKlHHc41jVKzW';
const INVITE_TOKEN = 'A'.repeat(43);
const TOMORROW = new Date(Date.now() + 86_400_000);
const keyOf = (n: number) => `0193a000-0000-7000-8000-00000000000${n}`;
const CANCELED = { error_code: 'canceled', error_message: 'canceled on request' };

/** The jobs of the baseline, by their ids. */
const JOBS: Record<string, object> = {
  waiting: { status: 'pending', place: 'waiting' },
  later: { status: 'pending', place: 'scheduled', run_at: TOMORROW },
  retried: { status: 'pending', place: 'waiting', attempt: 1, retries: 1, max_retries: 3, error_code: 'handler_error' },
  running: { status: 'processing', attempt: 1, worker_id: randomUUID(), claim_token: randomUUID() },
  succeeded: { status: 'done', attempt: 1, result: { pages: 2 }, duration_ms: 7, finished_at: new Date() },
  canceled: { status: 'failed', ...CANCELED, finished_at: new Date() },
};

/** Inserts rows, each an object of its columns. */
async function insert(db: Db, table: string, ...rows: object[]): Promise<void> {
  for (const row of rows) {
    await db.$executeRawUnsafe(
      `INSERT INTO ${table} (${Object.keys(row)}) SELECT ${Object.keys(row)} FROM json_populate_record(NULL::${table}, $1::json)`,
      JSON.stringify(row),
    );
  }
}

const sha256 = (text: string) => `\\x${createHash('sha256').update(text).digest('hex')}`;

/** Data of each kind that the baseline knows. */
async function fillBaseline(db: Db): Promise<void> {
  const at = new Date(Date.now() - 3_600_000);
  const times = { created_at: at, updated_at: at };
  const own = { id: randomUUID(), org_id: ORG };
  await insert(db, 'organizations', { id: ORG, name: 'Acme', created_at: at, stored_bytes: 0 });
  await insert(db, 'users', { id: OWNER, email: EMAIL, password_hash: PASSWORD_HASH, proved_at: at, created_at: at });
  await insert(db, 'memberships', { org_id: ORG, user_id: OWNER, role: 'owner', joined_at: at });
  const invite = { ...own, email: 'new@example.com', role: 'member', token_hash: sha256(INVITE_TOKEN) };
  await insert(db, 'invites', { ...invite, invited_by: OWNER, created_at: at, expires_at: TOMORROW });
  await insert(db, 'api_keys', {
    ...{ ...own, name: 'server', prefix: KEY.slice(0, 11), hash: sha256(KEY) },
    ...{ created_by: OWNER, created_at: at },
  });
  await insert(db, 'webhook_secrets', { ...own, secret: 'whsec_c2VjcmV0', created_at: at });
  await insert(db, 'domains', {
    ...{ ...own, domain: 'acme.example', token: 'a'.repeat(32) },
    ...{ verified_at: at, created_at: at },
  });
  await insert(db, 'sender_ids', { ...own, sender_id: 'ACME', status: 'approved', created_at: at });
  const template = { ...own, name: 'hello', kind: 'email', subject: 'Hello', body: 'Hello {{ name }}' };
  await insert(db, 'templates', { ...template, variables: ['name'], ...times });
  await insert(
    db,
    'jobs',
    ...Object.entries(JOBS).map(([id, row], n) => ({
      ...{ key: keyOf(n), org_id: ORG, id, type: 'print', queue: 'io', payload: { text: id }, priority: 0 },
      ...{ max_retries: 0, retries: 0, attempt: 0, crash_count: 0, enqueue_seq: 0, run_at: at, place: 'enqueued' },
      ...{ ...times, xid: '1', ...row },
    })),
  );
  const line = { job_key: keyOf(4), org_id: ORG, attempt: 1, level: 'info', at, xid: '1' };
  await insert(
    db,
    'job_logs',
    { ...line, id: 1, message: 'attempt 1 started', status: 'processing' },
    { ...line, id: 2, message: 'two pages', status: null },
    { ...line, id: 3, message: 'attempt 1 succeeded in 7 ms', status: 'done' },
  );
  const file = { job_key: keyOf(4), name: 'pages.txt', content_type: 'text/plain', size: 5, sha256: sha256('pages') };
  await insert(db, 'artifacts', { ...file, bytes: `\\x${Buffer.from('pages').toString('hex')}`, created_at: at });
  await insert(db, 'payments', {
    ...{ ...own, job_key: keyOf(4), provider: 'sandbox', phone: '+254711000111', amount: 100, ref: 'A-1' },
    ...{ ...times, status: 'paid', receipt: 'R1', paid_at: at },
  });
  const bounced = { ...own, channel: 'email', status: 'bounced', recipient: 'ada@example.com', subject: 'Hi' };
  const sent = { ...own, id: randomUUID(), channel: 'sms', status: 'delivered', recipient: '+254711000111' };
  for (const message of [bounced, sent])
    await insert(db, 'messages', {
      ...message,
      provider: 'sandbox',
      body: 'text',
      called_at: at,
      sent_at: at,
      ...times,
    });
  await insert(db, 'suppressions', {
    ...{ ...own, address: 'ada@example.com', reason: 'bounce' },
    ...{ message_id: own.id, created_at: at },
  });
  const entry = { ...own, at, action: 'api_key.created', actor_id: OWNER, actor_email: EMAIL, details: {} };
  await insert(db, 'audit_entries', { ...entry, target_id: own.id, target_name: 'server' });
}

it('an installation with the first schema is upgraded with data of each kind, and its jobs go on', () =>
  withDatabaseBefore(SECOND, async ({ url, db }) => {
    await fillBaseline(db);
    await migrate(url);

    const place = { databaseUrl: url, redisUrl: redisUrl(), prefix: `test-upgrade-${process.pid}` };
    const api = await startApi(place);
    const print = defineHandler({ type: 'print', run: async (payload: object) => payload });
    const worker = await startTestWorker({ ...place, catalogue: createCatalogue([print]), leaseMs: 1_000 });
    try {
      const login = await api.call('POST', '/auth/login', { body: { email: EMAIL, password: PASSWORD } });
      const person = { orgId: ORG, ...callsAs(api.call, login.body.token) } as Person;
      const read = async (path: string) => (await person.get(path)).body;

      // The jobs: those that had not ended run, in whatever state they were.
      for (const id of ['waiting', 'retried', 'running'])
        expect((await finishedJob(person, id)).result).toMatchObject({ status: 'done', result: { text: id } });
      expect(await read('/jobs/later')).toMatchObject({ status: 'pending' });
      expect(await db.liveJob.findMany()).toMatchObject([{ id: 'later', runAt: TOMORROW }]);
      expect(await read('/jobs/canceled/result')).toMatchObject({ status: 'failed', error: { code: 'canceled' } });
      const succeeded = await finishedJob(person, 'succeeded');
      expect(succeeded.result).toMatchObject({ status: 'done', result: { pages: 2 } });
      expect(linesOf(succeeded)).toEqual([
        '1 info attempt 1 started',
        '1 info two pages',
        '1 info attempt 1 succeeded in 7 ms',
      ]);
      expect((await person.get('/jobs/succeeded/artifacts/pages.txt')).text).toBe('pages');
      expect(await read('/jobs')).toHaveLength(Object.keys(JOBS).length);

      // What belongs to the organization.
      expect(await read('/org/domains')).toMatchObject([{ domain: 'acme.example', verified_at: expect.any(String) }]);
      expect(await read('/org/sender-ids')).toMatchObject([{ sender_id: 'ACME' }]);
      expect(await read('/org/templates')).toMatchObject([{ name: 'hello', variables: ['name'] }]);
      expect(await read('/email/messages')).toMatchObject([{ status: 'bounced', to: 'ada@example.com' }]);
      expect(await read('/sms/messages')).toMatchObject([{ status: 'delivered', to: '+254711000111' }]);
      expect(await read('/org/suppressions')).toMatchObject([{ address: 'ada@example.com', reason: 'bounce' }]);
      expect((await read('/org/audit')).map(({ action }: { action: string }) => action)).toContain('api_key.created');
      expect(await db.payment.findMany()).toMatchObject([{ status: 'paid', receipt: 'R1' }]);

      // Credentials and links.
      const submitted = await api.call('POST', '/jobs', {
        key: KEY,
        body: { type: 'print', payload: { text: 'new' } },
      });
      expect((await finishedJob(person, submitted.body.id)).result.result).toEqual({ text: 'new' });
      const accept = { token: INVITE_TOKEN, password: PASSWORD };
      expect((await api.call('POST', '/invite/accept', { body: accept })).status).toBe(200);
    } finally {
      await worker.stop(1_000);
      await api.stop();
    }
  }));
