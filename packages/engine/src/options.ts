import type { OrgId } from '@jobline/contracts';
import type { Db, HotDb } from '@jobline/db';
import type { ArtifactStore, Catalogue, Compose, Ports } from '@jobline/handlers';
import type { RetryPolicy } from './attempt/backoff.js';
import type { RunIsolated } from './attempt/crash-isolation.js';
import type { Consume } from './queue/consumer.js';
import type { Producer } from './queue/producer.js';
import type { EngineEvents } from './reporting/events.js';
import type { SubmissionRules } from './submit/check-payload.js';
import type { CompileSchema } from './submit/custom-types.js';

/** What a worker gives to the engine. */
export interface WorkOptions {
  db: Db;
  hot: HotDb;
  /** Used by the heartbeat only. */
  heartbeatDb: HotDb;
  redisUrl: string;
  prefix: string;
  producer: Producer;
  /** If it is null, artifacts are stored in Postgres. */
  artifacts: ArtifactStore | null;
  catalogue: Catalogue;
  /** Whether the worker takes jobs of a type for which it has a handler. Absent: it takes all of them. */
  takes?: (type: string) => boolean;
  /** Maps job types to the JSON Schemas of their payloads, as JSON text, which the worker publishes. Absent: none. */
  schemas?: ReadonlyMap<string, string>;
  /** Returns the external ports of the handlers, for a job of the organization. */
  portsFor(orgId: OrgId): Ports;
  runIsolated: RunIsolated;
  /** The rules of the submissions that handlers make: those of the API. */
  submissions: Pick<SubmissionRules, 'allowedTypes'> & {
    /** Maximum number of pending jobs of an organization. Null: there is none. */
    maxWaiting: number | null;
    compileSchema: CompileSchema;
    /** Checks drafts of messages. */
    compose: Compose;
  };
  events: EngineEvents;
  /** Maps each queue to the number of its jobs that run at the same time. */
  queues: ReadonlyMap<string, number>;
  retry: RetryPolicy;
  leaseMs: number;
  /** How long a job waits for a worker with its handler, since such a worker was last seen. Then the job fails. */
  noHandlerAfterMs: number;
  /** Number of days after which finished jobs are deleted. */
  retentionDays: number;
  /** Whether the stacks of errors that custom handlers throw are stored with the attempts. */
  storesStacks: boolean;
  /** Only tests change how often orphaned jobs and missing entries are looked for. */
  reconcileEveryMs?: number | undefined;
  /** The operator's bound of the running jobs of each organization, over all workers. Null: there is none. */
  orgMaxRunning: number | null;
  /** How many bytes an organization may store. Above it, its jobs save no artifacts and its schedules make no jobs. */
  maxStoredBytes: number;
  /** About how many jobs of a queue may wait in Redis. Null means three times the number of slots of its live workers. */
  window: number | null;
  /** A name of this process for people. */
  name: string;
  /** The version of its handlers, as its operator names it. */
  version?: string | undefined;
  /** How long to wait for a handler that ignores its signal before its outcome is recorded. */
  graceMs: number;
  /** The source of deliveries. If it is absent, BullMQ. */
  consume?: Consume;
  /** Memory for large payloads of running attempts. If it is absent, a share of the heap. */
  payloadBytes?: number;
  /** Memory for the files and artifacts that running attempts have read. Only tests change it. */
  sourceBytes?: number;
}
