import { parseArgs } from 'node:util';
import {
  countSessions,
  emptyDatabase,
  grantToApps,
  loadBackup,
  MIGRATIONS,
  migrate,
  readBackup,
  settleAfterRestore,
} from '@jobline/db/migrate';
import { deleteQueues } from '@jobline/engine';
import { ConfigError, readConfig } from '@jobline/runtime';
import { restoreConfigSchema } from './migrate-config.js';

/** A program that restores a backup, or makes a database ready that other means have restored. Every app must be stopped. */
const USAGE = `usage: node apps/api/dist/restore-main.js <folder of a backup> | --restored | --recovered
  --restored            the database was restored from a dump: only do what must follow
  --recovered           the same after a point-in-time recovery, which keeps transaction numbers
  --replace             delete what the database contains
  --payments <type>     an own job type that requests payments; may be repeated
  --fail <type>         a job type that must not run twice: its open jobs fail; may be repeated`;

const OPTIONS = {
  restored: { type: 'boolean' },
  recovered: { type: 'boolean' },
  replace: { type: 'boolean' },
  payments: { type: 'string', multiple: true },
  fail: { type: 'string', multiple: true },
} as const;

try {
  await restore();
} catch (error) {
  const isExpected = error instanceof ConfigError;
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
}

async function restore(): Promise<void> {
  const config = readConfig(restoreConfigSchema, process.env);
  const { DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl, REDIS_URL: redisUrl, QUEUE_PREFIX: prefix } = config;
  const url = ownerUrl ?? appUrl;
  const { values, positionals } = readArguments();
  const [dir] = positionals;
  const migrations = dir === undefined ? null : (await readBackup(dir)).migrations;
  // Creates the database if it is missing.
  await migrate(url, MIGRATIONS, new Set());
  const sessions = await countSessions(url);
  if (sessions > 0)
    throw new ConfigError([`${sessions} sessions use the database. Stop every API and worker first, then try again.`]);
  if (dir !== undefined && migrations) {
    if (values.replace) await emptyDatabase(url);
    const applied = await migrate(url, MIGRATIONS, new Set(migrations));
    if (applied.length !== migrations.length)
      throw new ConfigError([
        applied.length === 0
          ? 'The database is not empty. Restore into a new one, or add --replace to delete what it contains.'
          : 'The backup is of a newer version of Jobline, or of one that this version cannot migrate.',
      ]);
    await loadBackup(url, dir, (table, rows) => console.log(`${table}: ${rows} rows`));
  }
  await migrate(url);
  if (ownerUrl !== undefined) await grantToApps(ownerUrl, appUrl);
  const payments = ['mobile_money_stk', ...(values.payments ?? [])];
  const keepsTransactions = values.recovered ?? false;
  const failed = await settleAfterRestore(url, { payments, fail: values.fail ?? [], keepsTransactions });
  const keys = await deleteQueues(redisUrl, prefix);
  console.log(
    `Restored. ${failed} open jobs that must not run twice have failed; ${keys} keys of queues were deleted in Redis.`,
  );
  console.log('Start the apps with a new JWT_SECRET: it ends the sessions that the backup contains.');
}

function readArguments() {
  const args = parse();
  const { restored, recovered } = args.values;
  if (args.positionals.length + Number(restored ?? false) + Number(recovered ?? false) !== 1)
    throw new ConfigError([USAGE]);
  return args;
}

function parse() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error), USAGE]);
  }
}
