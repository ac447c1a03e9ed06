import { type Db, getInstallationId } from '@jobline/db';
import { ownerKey } from '../queue/names.js';
import type { Producer } from '../queue/producer.js';

/**
 * Returns a sentence that describes why this installation cannot use its queues. Returns null if it can, or if Redis
 * does not answer.
 */
export type FindOwnerProblem = () => Promise<string | null>;

/**
 * Checks whether another installation owns the keys of the prefix. Rejects if Postgres cannot return the id of this
 * installation.
 */
export function createFindOwnerProblem(deps: {
  db: Db;
  producer: Pick<Producer, 'claimPrefix'>;
  prefix: string;
}): FindOwnerProblem {
  let id: string | null = null;
  return async () => {
    id ??= await getInstallationId(deps.db);
    const owner = await deps.producer.claimPrefix(id);
    return owner === null ? null : ownerProblem(deps.prefix, id, owner);
  };
}

/** Returns a text of the form `problem: solution`. Null if this installation owns the prefix. */
export function ownerProblem(prefix: string, id: string, owner: string): string | null {
  if (owner === id) return null;
  return (
    'another installation uses the queues of this QUEUE_PREFIX in Redis: ' +
    `set a QUEUE_PREFIX other than "${prefix}" for one of the two; if the other one no longer exists, ` +
    `delete the key ${ownerKey(prefix)} in Redis`
  );
}
