import type { JobKey, OrgId } from '@jobline/contracts';
import type { Db, HotDb } from '@jobline/db';
import type { Claim } from '@jobline/db/job-transitions';
import { pause } from '@jobline/runtime';
import { expect, it, vi } from 'vitest';
import type { Entry } from '../queue/entry.js';
import { createEvents } from '../reporting/events.js';
import { createLargeWrites } from './large-writes.js';
import { createRecords } from './record.js';
import { createRuns } from './runs.js';

// The casts: no job and no organization has these ids.
const claim: Claim = {
  key: 'key' as JobKey,
  token: 'token',
  orgId: 'org' as OrgId,
  type: 'a',
  queue: 'io',
  seq: 1,
  payload: '{}',
  payloadBytes: 2,
  attempt: 1,
  retries: 0,
  maxRetries: 1,
  crashCount: 0,
  traceparent: null,
  startedAt: new Date(),
  expiresAt: null,
  wasHeld: false,
  limitKey: null,
  refers: null,
  id: 'id',
  tags: null,
  priority: 0,
  createdAt: new Date(),
  runAt: new Date(),
  scheduleId: null,
  plannedAt: null,
};

/** Its first statement takes effect, but the answer is lost. Each answer contains the number that the row has then. */
function losesFirstAnswer(token: string): HotDb {
  let seq = 2;
  return {
    // The cast: it answers one statement only.
    async query<Row>() {
      if (seq++ === 2) throw new Error('Connection terminated unexpectedly');
      return [{ token, seq }] as Row[];
    },
    close: async () => undefined,
  };
}

// Until the record is repeated, reconcile can have found the job without an entry and enqueued it under another number.
it('a retry whose record was repeated gets the number that the first statement gave it', async () => {
  const events = createEvents();
  const runs = createRuns();
  const added: Entry[] = [];
  const records = createRecords({
    // The cast: no line is written while the attempt runs.
    db: {} as Db,
    hot: losesFirstAnswer(claim.token),
    runs,
    events,
    writeInTurn: createLargeWrites(),
    producer: { publishWaiting: () => undefined },
    leaseMs: 15_000,
    storesStacks: true,
    enqueue: async (entries) => void added.push(...entries),
  });
  const outcome = { kind: 'retry', delayMs: 50, error: { code: 'handler_error', message: 'boom' } } as const;

  const recorded = await records.record(runs.open(claim, true), outcome, 'enqueued', 1);

  expect(recorded).toBe(outcome);
  expect(added).toEqual([{ queue: 'io', id: 'key-2', key: 'key', delayMs: 50, isLowPriority: true }]);
});

it('the large results of one organization are recorded one after the other', async () => {
  const runs = createRuns();
  const statements: unknown[] = [];
  const records = createRecords({
    // The casts: no line is written while the attempt runs, and no statement is answered.
    db: {} as Db,
    hot: {
      query: (_text: TemplateStringsArray, ...values: readonly unknown[]) => {
        statements.push(values);
        return new Promise(() => undefined);
      },
      close: async () => undefined,
    } as HotDb,
    runs,
    events: createEvents(),
    writeInTurn: createLargeWrites(),
    producer: { publishWaiting: () => undefined },
    leaseMs: 15_000,
    storesStacks: true,
    enqueue: async () => undefined,
  });
  const outcome = { kind: 'done', result: JSON.stringify('x'.repeat(700_000)) } as const;
  const record = (token: string, orgId: string) =>
    void records.record(runs.open({ ...claim, token, orgId: orgId as OrgId }), outcome, 'enqueued', 1);

  for (let n = 0; n < 5; n++) record(`${n}`, 'one');
  await vi.waitFor(() => expect(statements).toHaveLength(1));
  await pause(20);
  expect(statements).toHaveLength(1);

  record('5', 'other');
  await vi.waitFor(() => expect(statements).toHaveLength(2));
});
