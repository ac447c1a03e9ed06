import { writeBackup } from '@jobline/db/migrate';
import { ConfigError, readConfig } from '@jobline/runtime';
import { migrateConfigSchema } from './migrate-config.js';

/** A program that writes a backup of the database into a new folder. The apps may run meanwhile. */
const USAGE = 'usage: node apps/api/dist/backup-main.js <new folder>';

try {
  const { DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl } = readConfig(migrateConfigSchema, process.env);
  const [dir, ...more] = process.argv.slice(2);
  if (dir === undefined || more.length > 0) throw new ConfigError([USAGE]);
  let total = 0;
  await writeBackup(ownerUrl ?? appUrl, dir, (table, rows) => {
    total += rows;
    console.log(`${table}: ${rows} rows`);
  });
  console.log(`The backup in ${dir} is complete: ${total} rows. Keep ENCRYPTION_KEY and the bucket of artifacts, too.`);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
