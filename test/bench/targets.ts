import type { Metrics } from './measure-system.js';
import type { SystemName } from './system.js';

/** A comparison of the product with a peer. */
export interface Target {
  /** The compared metric and the peer, in a few words. */
  name: string;
  metric: keyof Metrics;
  peer: SystemName;
  /** The target for the product's metric divided by the peer's: a minimum for rates, a maximum for times. */
  atLeast?: number;
  atMost?: number;
}

export const TARGETS: readonly Target[] = [
  { name: 'end to end vs. pg-boss', metric: 'e2e', peer: 'pg-boss', atLeast: 1.9 },
  { name: 'end to end vs. graphile-worker', metric: 'e2e', peer: 'graphile-worker', atLeast: 5 },
  { name: 'end to end vs. pg-boss over HTTP', metric: 'e2e', peer: 'pg-boss-http', atLeast: 3 },
  { name: 'end to end vs. graphile-worker over HTTP', metric: 'e2e', peer: 'graphile-worker-http' },
  { name: 'end to end vs. raw BullMQ', metric: 'e2e', peer: 'bullmq' },
  { name: 'drain vs. raw BullMQ', metric: 'drain', peer: 'bullmq', atLeast: 0.5 },
  { name: 'drain vs. pg-boss', metric: 'drain', peer: 'pg-boss', atLeast: 0.6 },
  { name: 'drain vs. graphile-worker', metric: 'drain', peer: 'graphile-worker' },
  { name: 'accepted vs. a bare Express route', metric: 'accept', peer: 'express', atLeast: 0.8 },
  { name: 'batches vs. addBulk', metric: 'batch', peer: 'bullmq', atLeast: 1 },
  { name: 'pickup vs. raw BullMQ, median', metric: 'pickup50', peer: 'bullmq', atMost: 2.5 },
  { name: 'pickup vs. raw BullMQ, 99th percentile', metric: 'pickup99', peer: 'bullmq', atMost: 3 },
];

/** Target for the highest resident memory of each process of the product, in MiB. */
export const MEMORY_LIMIT_MIB = 200;
