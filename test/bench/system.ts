import type { Store } from './peer.js';
import type { Process } from './processes.js';
import type { Services } from './services.js';

/** A system that accepts jobs: the product or a peer. */
export interface System {
  name: SystemName;
  /** A description and the settings, for the results. */
  settings: string;
  /** Starts the whole system except for the worker. */
  start(services: Services): Promise<RunningSystem>;
}

export interface RunningSystem {
  submitter: Process;
  /** Null for a system that only accepts jobs. */
  jobs: Jobs | null;
  /** Every process that its users have to run, except for the worker. */
  processes: readonly Process[];
  stop(): Promise<void>;
}

/** The parts of a system that also runs the jobs it accepts. */
export interface Jobs {
  store: Store;
  startWorker(): Promise<Process>;
  /** Whether one call can submit many jobs. */
  takesBatches: boolean;
  /** Submits the jobs of ten slow tenants. Absent: the system has no tenants. */
  addSlowTenants?(): Promise<void>;
}

export const SYSTEMS = [
  'jobline',
  'bullmq',
  'pg-boss',
  'graphile-worker',
  'pg-boss-http',
  'graphile-worker-http',
  'express',
] as const;
export type SystemName = (typeof SYSTEMS)[number];
