import type { JobKey, OrgId } from '@jobline/contracts';
import { insertJobs, listWaiting, requestCancel, retryFailed } from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

// BullMQ ignores an add whose id it still has, and then removes the entry of that id: the job would have none.
it('a job that is dispatched, canceled and retried manually gets an entry with a new number', async () => {
  const { db, hot } = database;
  // The casts: the ids were created here.
  const [orgId, key] = [newId() as OrgId, newId() as JobKey];
  const job = { type: 'any', queue: 'io', payload: '{}', contentHash: null, priority: 0, maxRetries: 0 };
  await insertJobs(hot, [
    { ...job, key, orgId, id: 'one', runAt: null, traceparent: null, hasCapacity: false, chunkKey: null },
  ]);
  const [dispatched] = await listWaiting(hot, 'io', [{ orgId, after: null, limit: 1 }], {
    limit: 1,
    except: { entries: [], types: [] },
  });

  await requestCancel(db, orgId, 'one', 'the job was canceled');
  const retried = await retryFailed(db, key, true, 'retried');

  expect(dispatched).toMatchObject({ key, seq: 1 });
  expect(retried).toMatchObject({ key, stage: 'enqueued', seq: 2 });
});
