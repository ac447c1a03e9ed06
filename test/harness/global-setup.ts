import { fileURLToPath } from 'node:url';
import { createDb } from '@jobline/db';
import { migrate } from '@jobline/db/migrate';
import { allowJobWrites } from './job-writes.js';
import { adminUrl, TEMPLATE, withDatabase } from './services.js';

const migrations = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** Migrates one database; every test file gets a copy of it. */
export default async function setup(): Promise<() => Promise<void>> {
  const admin = createDb({ url: adminUrl(), poolSize: 1, onIdleError: report });
  await admin.$executeRawUnsafe(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
  await admin.$executeRawUnsafe(`CREATE DATABASE ${TEMPLATE}`);
  await migrate(withDatabase(adminUrl(), TEMPLATE), migrations);
  const template = createDb({ url: withDatabase(adminUrl(), TEMPLATE), poolSize: 1, onIdleError: report });
  await allowJobWrites(template);
  await template.$disconnect();
  return async () => {
    await admin.$executeRawUnsafe(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
    await admin.$disconnect();
  };
}

function report(error: Error): void {
  console.error('the tests lost their connection to Postgres:', error.message);
}
