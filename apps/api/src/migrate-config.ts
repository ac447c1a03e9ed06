import Joi from 'joi';

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

function postgresUrl(): Joi.StringSchema {
  return Joi.string().uri({ scheme: ['postgres', 'postgresql'] });
}
