import { createDb, type Db } from '@jobline/db';
import { grantToApps } from '@jobline/db/migrate';
import { checkStart } from '@jobline/engine';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { keepingLogger } from '../api/support.js';
import { createWorld, finishedJob, register, submitJob, until, type World } from '../harness/index.js';
import { adminUrl, withDatabase } from '../harness/services.js';

let world: World;
/**
 * The database URL of the role that owns the tables, and that of the apps. Without a pooler, which does not know new
 * roles.
 */
let ownerUrl: string;
let appUrl: string;
let role: string;
let asApps: Db;
let asOwner: Db;

beforeAll(async () => {
  world = await createWorld();
  ownerUrl = withDatabase(adminUrl(), new URL(world.databaseUrl).pathname.slice(1));
  role = `jobline_app_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  const url = new URL(ownerUrl);
  url.username = role;
  url.password = "it's";
  appUrl = url.href;
  asOwner = createDb({ url: ownerUrl, poolSize: 1, onIdleError: () => undefined });
  asApps = createDb({ url: appUrl, poolSize: 1, onIdleError: () => undefined });
  expect(await grantToApps(ownerUrl, appUrl)).toEqual({ name: role, isNew: true });
});
afterAll(async () => {
  await Promise.all([asApps.$disconnect(), asOwner.$disconnect()]);
  await world.end();
  const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined });
  await admin.$executeRawUnsafe(`DROP ROLE ${role}`);
  await admin.$disconnect();
});

it('the product works with a role that may only read and write rows', async () => {
  const api = await world.api({ databaseUrl: appUrl });
  const worker = await world.worker({ databaseUrl: appUrl, retentionDays: 1 });
  const person = await register(api.call);
  await person.post('/org/webhook-secret/rotate');
  const id = await submitJob(person, 'ai_summarize', { text: 'One sentence. Another one, which is longer.' });
  expect((await finishedJob(person, id)).job.status).toBe('done');
  expect((await person.post('/email/send', { to: 'a@example.com', subject: 'a', body: 'b' })).status).toBe(200);

  // Retention deletes the job and its lines, and audit entries older than a year.
  const [entry] = (await person.get('/org/audit')).body;
  await asOwner.$executeRaw`ALTER TABLE audit_entries DISABLE TRIGGER USER`;
  await asOwner.$executeRaw`UPDATE audit_entries SET at = now() - interval '366 days' WHERE id = ${entry.id}::uuid`;
  await asOwner.$executeRaw`ALTER TABLE audit_entries ENABLE TRIGGER USER`;
  await asOwner.$executeRaw`UPDATE jobs SET finished_at = now() - interval '3 days'`;
  await worker.stop(0);
  await world.worker({ databaseUrl: appUrl, retentionDays: 1 });
  await until('the old entry to go', async () => (await asOwner.auditEntry.count({ where: { id: entry.id } })) === 0);
  expect(await asOwner.auditEntry.count()).toBeGreaterThan(0);
});

test.each([
  ['change an entry of the audit log', `UPDATE audit_entries SET action = 'logout'`],
  ['delete one that has not expired', `DELETE FROM audit_entries`],
  ['empty the audit log', `TRUNCATE audit_entries`],
  ['empty another table', `TRUNCATE job_logs`],
  ['switch off what guards the audit log', `ALTER TABLE audit_entries DISABLE TRIGGER ALL`],
  ['replace it', `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'`],
  ['drop a table', `DROP TABLE audit_entries`],
  ['make anything of its own', `CREATE TABLE mine ()`],
  ['forget a migration', `DELETE FROM _prisma_migrations`],
  ['run programs', `COPY (SELECT 1) TO PROGRAM 'true'`],
])('the role of the apps may not %s', async (_what, statement) => {
  await expect(asApps.$executeRawUnsafe(statement)).rejects.toThrow(/permission denied|must be owner|append-only/);
});

it('the role of the apps may use tables of later migrations, and granting again changes nothing', async () => {
  await asOwner.$executeRawUnsafe('CREATE TABLE later (id bigserial PRIMARY KEY, n int)');

  await asApps.$executeRawUnsafe('INSERT INTO later (n) VALUES (1)');
  await asApps.$executeRawUnsafe('UPDATE later SET n = 2');
  await expect(asApps.$executeRawUnsafe('TRUNCATE later')).rejects.toThrow('permission denied');
  expect(await grantToApps(ownerUrl, appUrl)).toEqual({ name: role, isNew: false });
  await asApps.$executeRawUnsafe('DELETE FROM later');
  await expect(grantToApps(ownerUrl, ownerUrl)).rejects.toThrow('give the apps another one');
});

it('in production an app warns at its start if its role may change the audit log, and only then', async () => {
  const warned = async (databaseUrl: string, isProduction: boolean): Promise<boolean> => {
    const { log, lines } = keepingLogger();
    let isChecked = false;
    const onceReady = async () => {
      isChecked = true;
    };
    const checks = checkStart({
      databaseUrl,
      redisUrl: world.redisUrl,
      prefix: world.prefix,
      log,
      isProduction,
      onceReady,
    });
    await until('the check', () => isChecked);
    await checks.stop();
    return lines.some(({ message }) => message.includes('can change the audit log'));
  };

  expect(await warned(ownerUrl, true)).toBe(true);
  expect(await warned(ownerUrl, false)).toBe(false);
  expect(await warned(appUrl, true)).toBe(false);
});
