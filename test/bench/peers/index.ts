import type { Peer } from '../peer.js';
import { bullmq } from './bullmq.js';
import { graphileWorker } from './graphile-worker.js';
import { pgBoss } from './pg-boss.js';

/** The libraries that the product is compared with, one line each. */
export const peers = { bullmq, 'pg-boss': pgBoss, 'graphile-worker': graphileWorker } satisfies Record<string, Peer>;
export type Library = keyof typeof peers;

/** Null: no library has the name. */
export function findPeer(name: string): Peer | null {
  // The cast: the names are the keys of the object.
  return Object.hasOwn(peers, name) ? peers[name as Library] : null;
}
