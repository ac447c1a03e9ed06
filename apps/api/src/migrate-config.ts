import { DEFAULT_PREFIX, PREFIX_PATTERN } from '@jobline/engine';
import Joi from 'joi';
import { parseRedis } from './config-values.js';

/** The environment variables of the migrations. */
export interface MigrateConfig {
  /** The database URL of the apps. */
  DATABASE_URL: string;
  /** The URL of the same database with the role that owns the tables. Default: the apps' role owns them. */
  MIGRATION_DATABASE_URL?: string;
}

export const migrateConfigSchema = Joi.object<MigrateConfig>({
  DATABASE_URL: postgresUrl().required(),
  MIGRATION_DATABASE_URL: postgresUrl(),
});

export interface RestoreConfig extends MigrateConfig {
  /** The Redis of the apps. */
  REDIS_URL: string;
  QUEUE_PREFIX: string;
}

export const restoreConfigSchema = Joi.object<RestoreConfig>({
  DATABASE_URL: postgresUrl().required(),
  MIGRATION_DATABASE_URL: postgresUrl(),
  REDIS_URL: Joi.string().custom(parseRedis).required(),
  QUEUE_PREFIX: Joi.string().pattern(PREFIX_PATTERN).default(DEFAULT_PREFIX),
});

function postgresUrl(): Joi.StringSchema {
  return Joi.string().uri({ scheme: ['postgres', 'postgresql'] });
}
