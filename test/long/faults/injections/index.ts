import type { Fault } from '../fault.js';
import { killedApi, stoppedApps } from './api.js';
import { frozenClaim, frozenDeliverer, frozenPlanner, frozenSubmission } from './frozen.js';
import { differentClocks, sharedRedis } from './installations.js';
import { exhaustedPool, fullDisk, restartedPostgres, unreachablePostgres } from './postgres.js';
import { failedOverCluster, flushedRedis, fullRedis, killedRedis, unreachableRedis } from './redis.js';
import { rollingUpgrade } from './upgrade.js';
import { frozenWorker, killedWorker } from './workers.js';

/** In the order of the table. */
export const faults: readonly Fault[] = [
  killedWorker,
  frozenWorker,
  frozenClaim,
  frozenPlanner,
  frozenDeliverer,
  frozenSubmission,
  killedApi,
  killedRedis,
  flushedRedis,
  unreachableRedis,
  fullRedis,
  failedOverCluster,
  restartedPostgres,
  unreachablePostgres,
  fullDisk,
  exhaustedPool,
  differentClocks,
  sharedRedis,
  stoppedApps,
  rollingUpgrade,
];
