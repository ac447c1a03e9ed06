import { migrate } from '@jobline/db/migrate';
import { ConfigError, createLogger, readConfig } from '@jobline/runtime';
import Joi from 'joi';

/** Brings the database up to this version, then ends: run it before the apps of a new version are started. */
const configSchema = Joi.object<{ DATABASE_URL: string }>({
  DATABASE_URL: Joi.string()
    .uri({ scheme: ['postgres', 'postgresql'] })
    .required(),
});

try {
  const config = readConfig(configSchema, process.env);
  const log = createLogger({ level: 'info', app: 'migrate' });
  log.info('the database is up to date', { applied: await migrate(config.DATABASE_URL) });
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
