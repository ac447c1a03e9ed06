import type { JobKey, OrgId } from '@jobline/contracts';
import { deleteExpiredJobs, retryFailed } from '@jobline/db/job-transitions';
import { settleAfterRestore } from '@jobline/db/migrate';
import { ProviderFailure } from '@jobline/handlers/errors';
import { createPayments } from '@jobline/messaging';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';

const ORG = newId() as OrgId; // the brand exists only in our types
const DAYS = 30;
const TERMS = { phone: '254708374149', amount: 100, ref: 'INV-1001' };
/** Upper bound of the search; it ends long before. */
const MAX_STATES = 1_000;

type Stored = { job: 'pending' | 'failed' | 'done'; payment: string | null } | null;
type Outcome = 'accepted' | 'unknown' | 'refused';

/** One job and its payment, in the database and in the latest backup, and how often its payer was prompted. */
interface State {
  now: Stored;
  backup: Stored | 'none';
  asked: number;
}

/** Everything that may happen next, each with the statements of the product. */
const STEPS: Record<string, (state: State) => Promise<State>> = {
  'an attempt that the provider accepts': (state) => attempt(state, 'accepted'),
  'an attempt that sends a prompt and breaks off': (state) => attempt(state, 'unknown'),
  'an attempt that the provider rejects': (state) => attempt(state, 'refused'),
  'an attempt that was frozen and continues': (state) => ask(state, 'accepted'),
  'a manual retry': (state) => step(state, (key) => retryFailed(database.db, key, false, 'retried')),
  retention: (state) => step(state, (key) => deleteExpiredJobs(database.db, [key], DAYS)),
  'a backup': async (state) => ({ ...state, backup: state.now }),
  'a restore': async (state) =>
    state.backup === 'none' ? state : step({ ...state, now: state.backup }, runRestoreStatements),
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('no order of attempts, manual retries, retention, backups and restores prompts a payer twice', async () => {
  const start: State = { now: { job: 'pending', payment: null }, backup: 'none', asked: 0 };
  const seen = new Map([[JSON.stringify(start), 'submitted']]);
  // The list grows during the loop: every step is tried from every state that earlier steps led to.
  const open = [start];
  for (const state of open) {
    for (const [name, next] of Object.entries(STEPS)) {
      const reached = await next(state);
      const way = `${seen.get(JSON.stringify(state))}, ${name}`;
      expect(reached.asked, way).toBeLessThanOrEqual(1);
      if (seen.has(JSON.stringify(reached))) continue;
      seen.set(JSON.stringify(reached), way);
      open.push(reached);
    }
    if (open.length > MAX_STATES) throw new Error('the search does not end');
  }

  const ways = [...seen.values()];
  for (const name of Object.keys(STEPS)) expect(ways.some((way) => way.includes(name))).toBe(true);
  expect(open.some(({ now, asked }) => now === null && asked === 1)).toBe(true);
  expect(open.some(({ now, asked }) => now?.job === 'done' && asked === 1)).toBe(true);
});

/** Writes a state to the database, changes it, and reads the result. A finished job has finished long ago. */
async function step(state: State, happen: (key: JobKey) => Promise<unknown>): Promise<State> {
  const { db } = database;
  await db.$executeRaw`DELETE FROM payments`;
  await db.$executeRaw`DELETE FROM jobs`;
  await db.$executeRaw`DELETE FROM deleted_jobs`;
  const key = newId() as JobKey; // the brand exists only in our types
  if (state.now) {
    const { job, payment } = state.now;
    await db.$executeRaw`
      INSERT INTO jobs (key, org_id, id, type, queue, payload, status, run_at, created_at, updated_at, finished_at)
      SELECT ${key}::uuid, ${ORG}::uuid, 'money', 'mobile_money_stk', 'io', ${JSON.stringify(TERMS)}::json, ${job}::job_status,
        now(), now(), now(), CASE WHEN ${job} <> 'pending' THEN now() - interval '40 days' END`;
    if (payment) {
      await db.$executeRaw`
        INSERT INTO payments (id, org_id, job_key, provider, phone, amount, ref, status, updated_at)
        SELECT gen_random_uuid(), ${ORG}::uuid, ${key}::uuid, 'mpesa', '1', 1, 'a', ${payment}::payment_status, now()`;
    }
  }
  await happen(key);
  const rows = await db.$queryRaw<{ job: 'pending' | 'failed' | 'done'; payment: string | null }[]>`
    SELECT j.status::text AS job, p.status::text AS payment FROM jobs j LEFT JOIN payments p ON p.job_key = j.key`;
  return { ...state, now: rows[0] ?? null };
}

/** Runs an attempt of a pending job and records its outcome. */
function attempt(state: State, outcome: Outcome): Promise<State> {
  if (state.now?.job !== 'pending') return Promise.resolve(state);
  return ask(state, outcome, async (isDone) => {
    await database.db.$executeRaw`
      UPDATE jobs SET status = ${isDone ? 'done' : 'failed'}::job_status, attempt = attempt + 1, finished_at = now()`;
  });
}

async function ask(state: State, outcome: Outcome, end?: (isDone: boolean) => Promise<void>): Promise<State> {
  let { asked } = state;
  const provider = {
    provider: 'mpesa',
    firstQueryMs: 90_000,
    async prompt() {
      if (outcome === 'refused') throw new ProviderFailure('rejected', 'no');
      asked++;
      if (outcome === 'unknown') throw new ProviderFailure('ambiguous', 'no answer');
      return { requestId: 'ws_CO_1', merchantRequestId: null };
    },
    query: async () => null,
  };
  const reached = await step(state, async (key) => {
    const payment = createPayments({ db: database.db, provider }).request(
      ORG,
      key,
      TERMS,
      new AbortController().signal,
    );
    const isDone = await payment.then(
      () => true,
      () => false,
    );
    await end?.(isDone);
  });
  return { ...reached, asked };
}

async function runRestoreStatements(): Promise<void> {
  await settleAfterRestore(database.url, { payments: ['mobile_money_stk'], fail: [], keepsTransactions: true });
}
