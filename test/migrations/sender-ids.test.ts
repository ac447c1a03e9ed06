import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDb, type Db } from '@jobline/db';
import { MIGRATIONS, migrate } from '@jobline/db/migrate';
import { expect, it } from 'vitest';
import { adminUrl, withDatabase } from '../harness/index.js';

const ORGS = ['1', '2', '3'].map((n) => `00000000-0000-7000-8000-00000000000${n}`);

it('of sender ids that several organizations have, the oldest stays and the others wait for the operator', async () => {
  const name = `jobline_senders_${process.pid}`;
  const url = withDatabase(adminUrl(), name);
  const before = await mkdtemp(join(tmpdir(), 'jobline-before-'));
  const db = createDb({ url, poolSize: 1, onIdleError: () => undefined });
  try {
    const names = (await readdir(MIGRATIONS)).filter((entry) => /^\d/.test(entry) && entry < '20261122090000');
    for (const entry of names) await cp(join(MIGRATIONS, entry), join(before, entry), { recursive: true });
    await migrate(url, before);
    for (const id of ORGS) await db.$executeRaw`INSERT INTO organizations (id, name) VALUES (${id}::uuid, 'Org')`;
    // Oldest first. One organization has two spellings of what it had first.
    await add(db, [
      [2, 'ACME'],
      [1, 'acme'],
      [3, 'Alone'],
      [2, 'Acme'],
      [3, 'ACME'],
    ]);

    await migrate(url);

    const rows = await db.senderId.findMany({ orderBy: { createdAt: 'asc' } });
    expect(rows.map(({ senderId, status }) => [senderId, status])).toEqual([
      ['ACME', 'approved'],
      ['acme', 'pending'],
      ['Alone', 'approved'],
      ['Acme', 'approved'],
      ['ACME', 'pending'],
    ]);
  } finally {
    await db.$disconnect();
    await rm(before, { recursive: true });
    const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined });
    await admin.$executeRawUnsafe(`DROP DATABASE IF EXISTS ${name}`);
    await admin.$disconnect();
  }
});

async function add(db: Db, entries: [org: number, senderId: string][]): Promise<void> {
  for (const [n, [org, senderId]] of entries.entries()) {
    await db.$executeRaw`
      INSERT INTO sender_ids (id, org_id, sender_id, created_at)
      VALUES (gen_random_uuid(), ${ORGS[org - 1]}::uuid, ${senderId}, now() + ${n}::int * interval '1 second')`;
  }
}
