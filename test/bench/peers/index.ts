import type { Peer } from '../peer.js';
import { bullmq } from './bullmq.js';
import { graphileWorker } from './graphile-worker.js';
import { pgBoss } from './pg-boss.js';

/** The libraries that the product is compared with, one line each. */
export const peers: Readonly<Record<string, Peer>> = { bullmq, 'pg-boss': pgBoss, 'graphile-worker': graphileWorker };
