import type { Store } from './peer.js';
import type { Process } from './processes.js';
import type { Services } from './services.js';

/** Something that takes jobs: the product or a peer. */
export interface System {
  name: SystemName;
  /** What it is and how it is set, for the results. */
  settings: string;
  /** Starts all of it but the worker. */
  start(services: Services): Promise<RunningSystem>;
}

export interface RunningSystem {
  submitter: Process;
  /** Null for one that only accepts. */
  jobs: Jobs | null;
  /** All that its users have to run, the worker excepted. */
  processes: readonly Process[];
  stop(): Promise<void>;
}

/** The rest of a system that also runs what it accepts. */
export interface Jobs {
  store: Store;
  startWorker(): Promise<Process>;
  /** Whether many jobs can be submitted by one call. */
  takesBatches: boolean;
}

export const SYSTEMS = ['jobline', 'bullmq', 'pg-boss', 'graphile-worker', 'express'] as const;
export type SystemName = (typeof SYSTEMS)[number];
