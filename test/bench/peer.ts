import type { Payload } from './payload.js';

/** The addresses of a system's servers. Each system has its own database. */
export interface Addresses {
  databaseUrl: string;
  redisUrl: string;
  /** Only for systems that are called over HTTP. */
  http?: { url: string; apiKey: string };
}

/** Submits jobs. A resolved promise means that the job is accepted durably. */
export interface Submitter {
  add(payload: Payload): Promise<void>;
  addMany(payloads: readonly Payload[]): Promise<void>;
  close(): Promise<void>;
}

/** The system's own record of its jobs. */
export interface Store {
  hasUnfinished(): Promise<boolean>;
  /** What is wrong after `submitted` jobs have finished; null if nothing is. */
  fault(submitted: number): Promise<string | null>;
  /** Deletes all jobs. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** A queue library, with a submitting and a working process. */
export interface Peer {
  /** A description and the settings, for the results. */
  settings: string;
  /** Also creates what the library needs in the database. */
  openStore(addresses: Addresses): Promise<Store>;
  openSubmitter(addresses: Addresses): Promise<Submitter>;
  openWorker(addresses: Addresses, run: (payload: Payload) => void): Promise<{ close(): Promise<void> }>;
}

export const QUEUE = 'bench';
/** The number of jobs that a worker runs concurrently, if a system has such a setting. */
export const CONCURRENCY = 200;
/** Postgres connections per process, the same for all systems. */
export const POOL_SIZE = 10;
