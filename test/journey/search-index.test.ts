import type { OrgId } from '@jobline/contracts';
import { dropDeadBatches, forgetEntries, insertEntries, lockSearchPosition } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorld, type Person, register, until, type World } from '../harness/index.js';

/** What the index of searches contains, and what is deleted from it. */

let world: World;
let person: Person;
let orgId: OrgId;

beforeEach(async () => {
  world = await createWorld();
  person = await register((await world.api()).call);
  // The cast: the API returned it as an organization's id.
  orgId = person.orgId as OrgId;
});
afterEach(() => world.end());

async function words(): Promise<string[]> {
  const rows = await world.db.$queryRaw<{ word: string }[]>`SELECT DISTINCT word FROM search_postings ORDER BY word`;
  return rows.map(({ word }) => word);
}

/** Indexes jobs with these words. Returns their keys. */
async function index(all: readonly (readonly string[])[]): Promise<string[]> {
  const entries = all.map((some) => ({ kind: 'job' as const, key: newId(), words: some }));
  await world.db.$transaction(async (tx) => {
    const position = await lockSearchPosition(tx, orgId);
    if (position) await insertEntries(tx, orgId, position, entries);
  });
  return entries.map(({ key }) => key);
}

it('what is forgotten leaves the words that others have', async () => {
  const [first = '', second = '', third = ''] = await index([['a', 'b'], ['b', 'c'], ['b']]);

  await forgetEntries(world.db, orgId, [second]);
  expect(await words()).toEqual(['a', 'b']);
  await forgetEntries(world.db, orgId, [first, third]);
  expect(await words()).toEqual([]);
  expect(await world.db.searchEntry.count()).toBe(0);
});

it('what is indexed for the first time while it is forgotten is forgotten, too', async () => {
  const entry = { kind: 'job' as const, key: newId(), words: ['a'] };
  let hasEnded = false;
  const forgotten = await world.db.$transaction(async (tx) => {
    const position = await lockSearchPosition(tx, orgId);
    if (position) await insertEntries(tx, orgId, position, [entry]);
    const forgetting = world.db
      .$transaction((other) => forgetEntries(other, orgId, [entry.key]))
      .finally(() => {
        hasEnded = true;
      });
    await until('it to wait, or to have ended', async () => {
      const waiting = await world.db.$queryRaw<object[]>`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return hasEnded || waiting.length > 0;
    });
    return { forgetting };
  });
  await forgotten.forgetting;

  expect(await words()).toEqual([]);
});

it('retention drops the batches whose jobs are all deleted, and leaves the others', async () => {
  const kept = (await person.post('/jobs', { type: 'a', payload: {} })).body.id;
  await index(Array.from({ length: 1_024 }, (_, n) => ['gone', `gone-${n}`]));
  const keys = await index(Array.from({ length: 1_024 }, () => ['kept']));
  await world.db
    .$executeRaw`UPDATE search_entries SET key = (SELECT key FROM submitted_jobs WHERE id = ${kept}) WHERE key = ${keys[1_000]}::uuid`;
  await index([['new']]);

  let after: number | null = null;
  do after = await dropDeadBatches(world.db, orgId, { after, limit: 1 });
  while (after !== null);
  expect(await words()).toEqual(['kept', 'new']);
});

it('the words of redacted values are deleted from the index, and other words of the job stay', async () => {
  const worker = await world.worker();
  const payload = { to: '+254700009001', message: 'a' };
  const { id } = (await person.post('/jobs', { type: 'send_sms', payload, key: 'zorilla' })).body;
  await until('the number to be indexed', async () => (await words()).includes('=+254700009001'));
  await until('the message to be indexed', async () => (await words()).includes(':message'));
  await until('the job to be done', async () => (await person.get(`/jobs/${id}`)).body.status === 'done');
  await world.db.$executeRaw`UPDATE finished_jobs SET finished_at = now() - interval '1 h'`;
  await person.patch('/org/settings', { redact: { payload_keys: ['to'], after_days: 0 } });
  await worker.stop();
  await world.worker();

  // The message, too.
  await until('the number to be deleted', async () => !(await words()).some((word) => word.includes('254700009001')));
  await until('the key to be indexed again', async () => (await words()).includes('zorilla'));
});

it('jobs that were stored before the index began are indexed, also after a restore on a server with lower transaction numbers', async () => {
  const { id } = (await person.post('/jobs', { type: 'a', payload: {}, key: 'lynx' })).body;
  await world.db.$executeRaw`INSERT INTO search_positions (org_id, xid) VALUES (${orgId}::uuid, '9000000000')`;
  await world.worker();

  await until('the job to be indexed', async () => (await words()).includes('lynx'));
  expect((await person.get('/search?q=lynx')).body).toEqual([expect.objectContaining({ id })]);
});
