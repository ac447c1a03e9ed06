import { type Db, getInstallationId } from '@jobline/db';
import { ownerKey } from '../queue/names.js';
import type { Producer } from '../queue/producer.js';

/** What keeps this installation from using its queues, in a sentence; null if nothing does, or Redis does not answer. */
export type FindOwnerFault = () => Promise<string | null>;

/** Looks whether another installation has the keys of the prefix. Rejects while Postgres cannot be asked for this one's id. */
export function createFindOwnerFault(deps: {
  db: Db;
  producer: Pick<Producer, 'claimPrefix'>;
  prefix: string;
}): FindOwnerFault {
  let id: string | null = null;
  return async () => {
    id ??= await getInstallationId(deps.db);
    const owner = await deps.producer.claimPrefix(id);
    return owner === null ? null : ownerFault(deps.prefix, id, owner);
  };
}

/** What it is, and after the colon what to do about it. */
export function ownerFault(prefix: string, id: string, owner: string): string | null {
  if (owner === id) return null;
  return (
    'another installation has the queues of this QUEUE_PREFIX in Redis: ' +
    `set another QUEUE_PREFIX than "${prefix}" for one of the two; if the other one is gone, delete the key ${ownerKey(prefix)} of Redis`
  );
}
