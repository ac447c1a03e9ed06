import { join } from 'node:path';
import { migrate } from '@jobline/db/migrate';
import { EARLIER_COMMIT } from '../../../harness/earlier-commit.js';
import { ROOT } from '../deployment.js';
import { buildCommit } from '../earlier-build.js';
import type { Fault } from '../fault.js';

/** In the order of docs/deploy.md: migrations, workers, APIs. New processes start before old ones stop. */
export const rollingUpgrade: Fault = {
  name: 'rolling upgrade from an earlier build',
  loadSeconds: 30,
  async deployment() {
    const { root, remove } = await buildCommit(EARLIER_COMMIT);
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
