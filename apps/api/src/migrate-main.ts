import { grantToApps, migrate } from '@jobline/db/migrate';
import { ConfigError, createLogger, readConfig } from '@jobline/runtime';
import { migrateConfigSchema } from './migrate-config.js';

/**
 * A program that migrates the database to this version and grants the apps' role the permissions it needs. Run it before
 * you start the apps of a new version.
 */
try {
  const { DATABASE_URL: appUrl, MIGRATION_DATABASE_URL: ownerUrl } = readConfig(migrateConfigSchema, process.env);
  const log = createLogger({ level: 'info', app: 'migrate' });
  log.info('the database is up to date', { applied: await migrate(ownerUrl ?? appUrl) });
  if (ownerUrl !== undefined) {
    const { name, isNew } = await grantToApps(ownerUrl, appUrl);
    log.info('granted the role of the apps: read and write rows only', { role: name, isNew });
  }
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
