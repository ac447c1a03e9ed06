import { beginPayment, checkPaymentAt, recordPaymentEnd, recordPrompted } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { newJob, orgId, waitingJobs } from './waiting-jobs.js';

let database: TestDatabase;
let jobs: ReturnType<typeof waitingJobs>;
beforeEach(async () => {
  database = await createTestDatabase();
  jobs = waitingJobs(database.db, database.hot);
  await jobs.begin();
});
afterEach(async () => {
  await jobs.settle();
  expect(await jobs.contradictions()).toEqual([]);
  await database.drop();
});

const payment = (id: string) => newJob(id, [], { type: 'mobile_money_stk' });
const waiter = (id: string, of: string) => newJob(id, [{ id: of, when: 'paid' }]);
const IDS = { requestId: 'r', merchantRequestId: null };
const PAID = { status: 'paid', code: '0', message: 'paid', receipt: 'R1', paidAt: null } as const;
const REFUSED = { ...PAID, status: 'failed', code: '1', message: 'refused', receipt: null } as const;

/** Sends the prompt of a job, whose result is then awaited. */
async function prompt(id: string): Promise<void> {
  const { db } = database;
  const terms = {
    provider: 'mpesa',
    phone: '254708374149',
    amount: 1,
    ref: 'R',
    jobKey: await jobs.keyOf(id),
    id: newId(),
  };
  await beginPayment(db, orgId, terms);
  await recordPrompted(db, orgId, terms.id, IDS, 1_000);
}

const report = (end: typeof PAID | typeof REFUSED) =>
  recordPaymentEnd(database.db, 'mpesa', { paymentId: null, ids: IDS }, end);

/** Nothing is left to do for the payment. */
async function close(db: Parameters<typeof checkPaymentAt>[0] = database.db): Promise<void> {
  await checkPaymentAt(db, await database.db.payment.findFirstOrThrow(), null);
}

it('a payment that is recorded meets its condition, whether its job is done already or fails later', async () => {
  await jobs.submit(payment('p'), waiter('w', 'p'));
  const end = await jobs.start(['p'], 'failed');
  await prompt('p');
  await report(PAID);
  await jobs.settle();
  expect(await jobs.stateOf('w')).toBe('blocked');
  await close();
  expect(await jobs.stateOf('w')).toBe('waiting');

  await end(database.hot);
  await jobs.settle();

  expect([await jobs.canStart('w'), await jobs.canStart('w')]).toEqual([true, false]);
});

it('a job that is done without a result of its payment still waits, and a refused payment fails what waits', async () => {
  await jobs.submit(payment('p'), waiter('w', 'p'), newJob('z', ['p']));
  const end = await jobs.start(['p']);
  await prompt('p');
  await end(database.hot);
  await jobs.settle();
  expect([await jobs.stateOf('w'), await jobs.stateOf('z')]).toEqual(['blocked', 'waiting']);

  await report(REFUSED);
  await close();
  await jobs.settle();

  expect(await jobs.stateOf('w')).toBe('dependency_failed');
});

it('a job that fails without a payment fails what waits for it, and a payment after a retry brings it back', async () => {
  await jobs.submit(payment('p'), waiter('w', 'p'));
  await jobs.run('p', 'failed');
  await jobs.settle();
  expect(await jobs.stateOf('w')).toBe('dependency_failed');

  await jobs.retry('p');
  await jobs.settle();
  expect(await jobs.stateOf('w')).toBe('blocked');
  const end = await jobs.start(['p']);
  await prompt('p');
  await end(database.hot);
  await report(PAID);
  await close();

  expect(await jobs.canStart('w')).toBe(true);
});

it('a payment that is given up fails what waits for it, and a late payment brings that back once', async () => {
  await jobs.submit(payment('p'), waiter('w', 'p'), newJob('z', ['w']));
  const end = await jobs.start(['p']);
  await prompt('p');
  await end(database.hot);
  await close();
  await jobs.settle();
  expect([await jobs.stateOf('w'), await jobs.stateOf('z')]).toEqual(['dependency_failed', 'dependency_failed']);

  await report(PAID);
  await jobs.settle();
  expect(await jobs.stateOf('w')).toBe('dependency_failed');
  await close();
  await jobs.settle();

  expect([await jobs.stateOf('w'), await jobs.stateOf('z')]).toEqual(['waiting', 'blocked']);
  await jobs.run('w');
  await jobs.settle();
  expect(await jobs.canStart('z')).toBe(true);
});

it('a job that is submitted while the payment for which it waits is settled starts', async () => {
  await jobs.submit(payment('p'));
  const end = await jobs.start(['p']);
  await prompt('p');
  await end(database.hot);
  await report(PAID);

  await jobs.whileWaiting(
    (tx) => close(tx),
    () => jobs.submit(waiter('w', 'p')),
  );

  expect(await jobs.canStart('w')).toBe(true);
});
