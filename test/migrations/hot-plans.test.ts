import type { OrgId } from '@jobline/contracts';
import {
  countJobs,
  HOT_SESSION,
  type HotDb,
  listJobs,
  readBacklog,
  readLiveWorkers,
  readPendingCounts,
} from '@jobline/db';
import {
  claimJobs,
  claimWaiting,
  hasExpired,
  insertJobs,
  listLoads,
  listRuns,
  listUnhandled,
  listWaitingOrgs,
  listWaitingQueues,
  promoteDue,
  recordResults,
} from '@jobline/db/job-transitions';
import { newId } from '@jobline/runtime';
import { sqltag } from '@prisma/client/runtime/client';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/index.js';
import { type Statement, statementsOf } from './explain.js';

let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: HOT_SESSION });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

/** The texts of the statements that the hot path sends. */
async function statements(): Promise<string[]> {
  const texts: string[] = [];
  const hot: HotDb = {
    async query(statement, ...parameters) {
      texts.push(sqltag(statement, ...parameters).text);
      return [];
    },
    close: async () => undefined,
  };
  const worker = { id: '', types: [], leaseMs: 1, capacity: { crashedOnce: 0, isolated: 0 } };
  await claimJobs(hot, worker, []);
  await claimWaiting(hot, worker, { queue: 'io', requests: [], tokens: [] });
  await recordResults(hot, []);
  await insertJobs(hot, []);
  await listWaitingQueues(hot, []);
  // The cast: no organization is looked up.
  await listWaitingOrgs(hot, 'io', { after: null, limit: 1 });
  await listUnhandled(hot, 'io', { orgIds: [], types: [], limit: 1, leaseMs: 1 });
  await listLoads(hot, 'io', []);
  await promoteDue(hot, { after: null, limit: 1 });
  await hasExpired(hot);
  await listRuns(hot, '', 1);
  await readBacklog(hot, []);
  await readLiveWorkers(hot, 1);
  await readPendingCounts(hot).catch(() => undefined); // no row
  return texts;
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

function scansOfJobs(plan: Plan): Plan[] {
  const own =
    /^(submitted|live|finished)_jobs$/.test(plan['Relation Name'] ?? '') && plan['Node Type'] !== 'ModifyTable'
      ? [plan]
      : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansOfJobs)];
}

// A connection keeps its plans; those of a new installation are made on empty tables.
it.each([
  ['there are none', 'SELECT'],
  ['an ANALYZE has found none', 'ANALYZE'],
])(
  'every statement of the hot path looks jobs up through an index, although its plan is made while %s',
  async (_when, first) => {
    const texts = await statements();
    await client.query(first);

    expect(texts).toHaveLength(14);
    for (const text of texts) {
      const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
      for (const scan of scansOfJobs(rows[0]['QUERY PLAN'][0].Plan)) {
        // These contain only the rows that the statement needs, or it reads the first one.
        const isSmall = /^live_jobs_(waiting|scheduled_orgs|running|held|expires)_idx$/.test(scan['Index Name'] ?? '');
        expect(isSmall || scan['Index Cond'], JSON.stringify(scan, null, 1)).toBeTruthy();
      }
    }
  },
);

/** The statements behind the page of jobs: the list, the lists of a type and of several, and the statistics. */
function pageStatements(): Promise<Statement[]> {
  const orgId = newId() as OrgId;
  const all = { statuses: [], limit: 100 };
  const rows = [{ stats: '{"series": []}', oldestPendingAt: null }];
  return statementsOf(async (db) => {
    await listJobs(db, orgId, all);
    await listJobs(db, orgId, { ...all, types: ['webhook'] });
    await listJobs(db, orgId, { ...all, types: ['send_email', 'webhook'] });
    await countJobs(db, orgId, { stepMs: 60_000, steps: 60, maxTypes: 10 });
  }, rows);
}

it('the page of jobs reads an organization and a window of time by an index: a keyset, and no count of everything', async () => {
  await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan');
  const conditions: string[][] = [];
  for (const { text } of await pageStatements()) {
    const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
    conditions.push(scansOfJobs(rows[0]['QUERY PLAN'][0].Plan).map((scan) => scan['Index Cond'] ?? scan['Node Type']));
  }

  const [list, ofType, ofTypes, stats] = conditions;
  for (const condition of [list, ofType, ofTypes].flat()) {
    // And what each job of the page is about, by its key.
    expect(condition).toMatch(/org_id = .*ROW\(created_at, id\) <|^\(key = /);
  }
  for (const condition of [ofType, ofTypes]) expect(condition?.join()).toContain('type = ');
  for (const condition of stats ?? []) expect(condition).toMatch(/org_id = /);
  expect(stats?.join()).toContain('finished_at >= ');
});
