import type { Metrics } from './measure-system.js';
import type { SystemName } from './system.js';

/** A comparison of the product with a peer. */
export interface Target {
  /** The compared metric and the peer, in a few words. */
  name: string;
  metric: keyof Metrics;
  peer: SystemName;
  /** The target for the product's metric divided by the peer's. Without it, the chart shows no target. */
  atLeast?: number;
}

export const TARGETS: readonly Target[] = [
  { name: 'end to end vs. pg-boss', metric: 'e2e', peer: 'pg-boss', atLeast: 2 },
  { name: 'end to end vs. graphile-worker', metric: 'e2e', peer: 'graphile-worker', atLeast: 3 },
  { name: 'end to end vs. raw BullMQ', metric: 'e2e', peer: 'bullmq' },
  { name: 'drain vs. raw BullMQ', metric: 'drain', peer: 'bullmq', atLeast: 0.4 },
  { name: 'drain vs. pg-boss', metric: 'drain', peer: 'pg-boss' },
  { name: 'drain vs. graphile-worker', metric: 'drain', peer: 'graphile-worker' },
  { name: 'accepted vs. a bare Express route', metric: 'accept', peer: 'express', atLeast: 0.6 },
  { name: 'batches vs. addBulk', metric: 'batch', peer: 'bullmq', atLeast: 0.6 },
];

/** Targets without a peer, in milliseconds. */
export const LIMITS: readonly { name: string; metric: keyof Metrics; below: number }[] = [
  { name: 'pickup, median', metric: 'pickup50', below: 3 },
  { name: 'pickup, 99th percentile', metric: 'pickup99', below: 12 },
];
