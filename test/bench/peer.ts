import type { Payload } from './payload.js';

/** Where a system's servers are. Each system has a database of its own. */
export interface Addresses {
  databaseUrl: string;
  redisUrl: string;
  /** Only of those that are called over HTTP. */
  http?: { url: string; apiKey: string };
}

/** The end that submits jobs. Resolved means accepted, for good. */
export interface Submitter {
  add(payload: Payload): Promise<void>;
  addMany(payloads: readonly Payload[]): Promise<void>;
  close(): Promise<void>;
}

/** What a system itself knows about its jobs. */
export interface Store {
  hasUnfinished(): Promise<boolean>;
  /** What is wrong after so many jobs were submitted and are finished; null if all is as it should be. */
  fault(submitted: number): Promise<string | null>;
  /** Forgets all jobs. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** A queue library, each end in a process of its own. */
export interface Peer {
  /** What it is and how it is set, for the results. */
  settings: string;
  /** Makes what it needs in the database, too. */
  openStore(addresses: Addresses): Promise<Store>;
  openSubmitter(addresses: Addresses): Promise<Submitter>;
  openWorker(addresses: Addresses, run: (payload: Payload) => void): Promise<{ close(): Promise<void> }>;
}

export const QUEUE = 'bench';
/** Jobs a worker may run at once, where a system has such a setting. */
export const CONCURRENCY = 200;
/** Postgres connections of one process: the same for all. */
export const POOL_SIZE = 10;
