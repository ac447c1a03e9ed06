import { join } from 'node:path';
import { migrate } from '@jobline/db/migrate';
import { ROOT } from '../deployment.js';
import { buildCommit } from '../earlier-build.js';
import type { Fault } from '../fault.js';

/**
 * The last commit before bulk actions. No version has a tag, and the changelog says to stop everything for an upgrade
 * from 0.1.0. All migrations since this commit are those of an upgrade without downtime.
 */
const EARLIER = 'bcb8cdefece98ffca5a7c0c6f48ca69ec5813229';

/** In the order of docs/operations.md: migrations, workers, APIs. New processes start before old ones stop. */
export const rollingUpgrade: Fault = {
  name: 'rolling upgrade from an earlier build',
  loadSeconds: 30,
  async deployment() {
    const { root, remove } = await buildCommit(EARLIER);
    return { root, remove, hasEvents: false };
  },
  async cause({ deployment, say }) {
    await migrate(deployment.directUrl, join(ROOT, 'prisma/migrations'));
    say('the database is migrated');
    for (const worker of [...deployment.workers]) {
      await deployment.addWorker({ root: ROOT });
      await deployment.remove(worker, 'SIGTERM');
    }
    say('the workers are replaced');
    for (const api of [...deployment.apis]) {
      await deployment.addApi({ root: ROOT });
      await deployment.remove(api, 'SIGTERM');
    }
  },
};
