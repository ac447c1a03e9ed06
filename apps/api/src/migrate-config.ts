import Joi from 'joi';

/** What the migrations read from their environment. */
export interface MigrateConfig {
  /** The database as the apps reach it. */
  DATABASE_URL: string;
  /** The same as the role that owns the tables; absent: the apps' role owns them. */
  MIGRATION_DATABASE_URL?: string;
}

export const migrateConfigSchema = Joi.object<MigrateConfig>({
  DATABASE_URL: postgresUrl().required(),
  MIGRATION_DATABASE_URL: postgresUrl(),
});

function postgresUrl(): Joi.StringSchema {
  return Joi.string().uri({ scheme: ['postgres', 'postgresql'] });
}
