import type { SystemName } from './system.js';
import type { Figures } from './turn.js';

/** What the product is to reach beside a peer. */
export interface Target {
  /** What is compared, in a few words. */
  name: string;
  figure: keyof Figures;
  peer: SystemName;
  /** The product's figure divided by the peer's is to be at least so much. Absent: drawn without a target. */
  atLeast?: number;
}

export const TARGETS: readonly Target[] = [
  { name: 'end to end beside pg-boss', figure: 'e2e', peer: 'pg-boss', atLeast: 2 },
  { name: 'end to end beside graphile-worker', figure: 'e2e', peer: 'graphile-worker', atLeast: 3 },
  { name: 'end to end beside raw BullMQ', figure: 'e2e', peer: 'bullmq' },
  { name: 'drain beside raw BullMQ', figure: 'drain', peer: 'bullmq', atLeast: 0.4 },
  { name: 'drain beside pg-boss', figure: 'drain', peer: 'pg-boss' },
  { name: 'drain beside graphile-worker', figure: 'drain', peer: 'graphile-worker' },
  { name: 'accepted beside a bare Express route', figure: 'accept', peer: 'express', atLeast: 0.6 },
  { name: 'batches beside addBulk', figure: 'batch', peer: 'bullmq', atLeast: 0.6 },
];

/** What it is to reach by itself, in milliseconds. */
export const LIMITS: readonly { name: string; figure: keyof Figures; below: number }[] = [
  { name: 'pickup, median', figure: 'pickup50', below: 3 },
  { name: 'pickup, 99th percentile', figure: 'pickup99', below: 12 },
];
