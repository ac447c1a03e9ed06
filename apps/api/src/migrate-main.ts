import { grantToApps, migrate } from '@jobline/db/migrate';
import { ConfigError, createLogger, readConfig } from '@jobline/runtime';
import { migrateConfigSchema } from './migrate-config.js';

/**
 * Brings the database up to this version and gives the role of the apps what it needs, then ends: run it before the apps of a
 * new version are started.
 */
try {
  const { DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl } = readConfig(migrateConfigSchema, process.env);
  const log = createLogger({ level: 'info', app: 'migrate' });
  log.info('the database is up to date', { applied: await migrate(ownerUrl ?? appUrl) });
  if (ownerUrl !== undefined) {
    const { name, isNew } = await grantToApps(ownerUrl, appUrl);
    log.info('the role of the apps may read and write rows, and nothing else', { role: name, isNew });
  }
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
