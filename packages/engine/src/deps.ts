import type { OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import type { ArtifactStore, Catalogue, Ports } from '@jobline/handlers';
import type { Tracing } from '@jobline/runtime';
import type { RetryPolicy } from './backoff.js';
import type { Claims } from './claim.js';
import type { Window } from './dispatch/window.js';
import type { Enqueue } from './enqueue.js';
import type { EngineEvents } from './events.js';
import type { Records } from './record.js';
import type { CrashIsolation, RunIsolated } from './worker/crash-isolation.js';
import type { Lease } from './worker/lease.js';
import type { PayloadMemory } from './worker/payload-memory.js';
import type { RedeliveryDelay } from './worker/redelivery-delay.js';
import type { Runs } from './worker/runs.js';

/** The dependencies of running a job. The worker creates them once, at its start. */
export interface RunDeps {
  db: Db;
  /** If it is null, artifacts are stored in Postgres. */
  artifacts: ArtifactStore | null;
  catalogue: Catalogue;
  portsFor(orgId: OrgId): Ports;
  retry: RetryPolicy;
  events: EngineEvents;
  lease: Lease;
  runs: Runs;
  claims: Claims;
  records: Records;
  enqueue: Enqueue;
  redeliveryDelayMs: RedeliveryDelay;
  window: Window;
  crashIsolation: CrashIsolation;
  runIsolated: RunIsolated;
  payloads: PayloadMemory;
  tracing: Tracing;
  /** How long a job waits for a worker with its handler, since such a worker was last seen. */
  noHandlerAfterMs: number;
  /** How long to wait for a handler that ignores its signal before its outcome is recorded. */
  graceMs: number;
}
