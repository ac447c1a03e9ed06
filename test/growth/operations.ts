import { FOUND_KINDS, type JobKey, type OrgId } from '@jobline/contracts';
import {
  countJobs,
  type Db,
  findJob,
  findResult,
  type HotDb,
  listAttempts,
  listEvents,
  listFailureGroups,
  listJobs,
  listLogs,
  registerWorker,
} from '@jobline/db';
import {
  type Claim,
  claimJobs,
  deleteExpiredJobs,
  deleteLinesOf,
  forgetDeleted,
  insertJobs,
  listDeleted,
  listLoads,
  listOccupancies,
  listOld,
  listUnhandled,
  listWaitingOrgs,
  listWaitingQueues,
  promoteDue,
  recordResults,
} from '@jobline/db/job-transitions';
import { search } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { WINDOWS } from '../statistics/counts.js';
import { TYPES } from './fill.js';
import type { Operation } from './measure.js';

/** Jobs of one statement of the hot path. */
const BATCH = 50;
const PAGE = 50;
/** Jobs that a round of retention deletes: the smallest size has enough for each measurement. */
const EXPIRED = 300;
const RETENTION_DAYS = 20;
const MAX_TYPES = 50;
const DAY_MS = 86_400_000;
/** The longest time of Postgres for a search, with any number of jobs. */
const SEARCH_MS = 300;
/** The casts: ids are branded only in our code. */
const newKey = () => newId() as JobKey;

export interface Filled {
  db: Db;
  hot: HotDb;
  orgs: [OrgId, ...OrgId[]];
  /** A job of the first organization with half of the others before it. */
  middle: { id: string; createdAt: Date; xid: bigint; logId: bigint; recipient: string };
}

/** The operations that must cost the same for any number of finished jobs. The last ones delete jobs. */
export async function operationsOn({ db, hot, orgs, middle }: Filled): Promise<Operation<never>[]> {
  const [org] = orgs;
  const worker = { id: newId(), types: TYPES, leaseMs: DAY_MS, capacity: { crashedOnce: 10, isolated: 1 } };
  await registerWorker(hot, {
    id: worker.id,
    name: 'growth',
    types: new Map(TYPES.map((type) => [type, { queue: 'io', timeoutMs: 1_000, schema: null }])),
    queues: new Map([['io', 200]]),
  });

  async function submit(orgId: OrgId, hasCapacity = true): Promise<JobKey[]> {
    const jobs = Array.from({ length: BATCH }, newKey).map((key) => ({
      ...{
        key,
        orgId,
        id: key,
        type: 'send_email',
        queue: 'io',
        payload: '{"to":"ada@example.com"}',
        contentHash: null,
      },
      ...{ priority: 0, maxRetries: 3, runAt: null, traceparent: null, hasCapacity },
    }));
    return (await insertJobs(hot, jobs)).map(({ key }) => key);
  }
  async function claim(keys: readonly JobKey[]): Promise<Claim[]> {
    const answers = await claimJobs(
      hot,
      worker,
      keys.map((key) => ({ key, token: newId() })),
    );
    return answers.map((answer) => {
      if (answer.kind !== 'claimed') throw new Error(`a job was not claimed: ${answer.kind}`);
      return answer.claim;
    });
  }
  const record = (claims: readonly Claim[]) =>
    recordResults(
      hot,
      claims.map(({ key, token, startedAt }) => ({
        ...{ key, token, status: 'done' as const, countsRetry: false, delayMs: 0, stage: 'enqueued' as const },
        ...{ result: '{"message_id":"m-1"}', errorCode: null, errorMessage: null, durationMs: 1_000 },
        lines: [{ kind: 'succeeded' as const, level: 'info' as const, message: null, at: startedAt }],
      })),
    );
  for (const orgId of orgs) await submit(orgId, false);

  async function dispatch(): Promise<void> {
    await listWaitingQueues(hot, ['io', 'cpu', 'browser', 'events']);
    const listed = await listWaitingOrgs(hot, 'io', { after: null, limit: 100 });
    const orgIds = listed.map(({ orgId }) => orgId);
    await listUnhandled(hot, 'io', { orgIds, types: [], limit: 10, leaseMs: 1_000 });
    await promoteDue(hot, { after: null, limit: 100 });
    await listLoads(hot, 'io', []);
    await listOccupancies(db);
  }

  async function retain(): Promise<void> {
    const old = await listOld(db, { after: null, limit: EXPIRED, days: RETENTION_DAYS });
    const keys = old.filter(({ isExpired }) => isExpired).map(({ key }) => key);
    if (keys.length < EXPIRED) throw new Error('too few jobs have expired');
    await deleteExpiredJobs(db, keys, RETENTION_DAYS);
    const deleted = (await listDeleted(db, { after: null, limit: EXPIRED })).map(({ key }) => key);
    await deleteLinesOf(db, deleted, 5_000);
    await forgetDeleted(db, deleted);
  }

  const operation = <T>(what: string, one: Omit<Operation<T>, 'what' | 'allowance'> & { allowance?: number }) =>
    // The cast: what an operation prepares is only for itself.
    ({ what, allowance: 10, ...one }) as Operation<never>;
  const cursor = { createdAt: middle.createdAt, id: middle.id };
  const lists = Object.entries({
    'list, first page': {},
    'list, half way by cursor': { cursor },
    'list of failed jobs, half way': { cursor, statuses: ['failed'] },
    'list of a type, half way': { cursor, types: ['webhook'] },
  } satisfies Record<string, Partial<Parameters<typeof listJobs>[2]>>).map(([what, more]) =>
    operation(what, {
      allowance: 2 * PAGE,
      run: () => listJobs(db, org, { statuses: [], limit: PAGE, ...more }),
    }),
  );
  const stats = Object.entries(WINDOWS).map(([window, steps]) =>
    operation(`statistics of ${window}`, {
      allowance: 40,
      run: () => countJobs(db, org, { ...steps, maxTypes: MAX_TYPES }),
    }),
  );
  const everything = { kinds: FOUND_KINDS, types: null };
  const searches = Object.entries({
    'a recipient': middle.recipient,
    'an id': middle.id,
    'beginnings of two words': 'cust ord',
    'a word that all jobs have': 'example',
    'a number, and a word that all jobs have': 'order 1234',
    'the words of an error': 'receiver answered 503',
    'a word that no job has': 'nowhere',
  }).map(([what, text]) =>
    // A word that all jobs have costs a row for each 1,024 of them.
    operation(`search for ${what}`, {
      isUnlimited: true,
      maxMs: SEARCH_MS,
      run: () => search(db, org, text, everything, async () => undefined),
    }),
  );
  return [
    operation(`submit ${BATCH} jobs`, { allowance: 10 * BATCH, run: () => submit(org) }),
    operation(`claim ${BATCH} jobs`, { allowance: 10 * BATCH, prepare: () => submit(org), run: claim }),
    operation(`record ${BATCH} results`, {
      allowance: 10 * BATCH,
      prepare: async () => claim(await submit(org)),
      run: record,
    }),
    ...lists,
    operation('a job with its log, attempts and result', {
      allowance: 20,
      async run() {
        await findJob(db, org, middle.id, async () => undefined);
        await listLogs(db, org, middle.id, { limit: 100 });
        await listAttempts(db, org, middle.id, { limit: 100 });
        await findResult(db, org, middle.id);
      },
    }),
    ...stats,
    operation('failures of 24h', {
      isUnlimited: true,
      run: () => listFailureGroups(db, org, { windowMs: DAY_MS }, { limit: 100 }),
    }),
    ...searches,
    operation('a round of the dispatcher', { run: dispatch }),
    operation('100 events after a position half way', {
      run: () => listEvents(db, org, { xid: middle.xid, key: newKey(), id: middle.logId }, 100),
    }),
    operation(`delete ${EXPIRED} expired jobs`, { allowance: 20 * EXPIRED, run: retain }),
  ];
}
