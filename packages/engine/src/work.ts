import type { JobKey, OrgId } from '@jobline/contracts';
import { type Db, type HotDb, isUnavailable } from '@jobline/db';
import { appendLines } from '@jobline/db/job-transitions';
import type { ArtifactStore, Catalogue, Ports } from '@jobline/handlers';
import { QUEUES } from '@jobline/handlers';
import { noTracing, pause, type Tracing } from '@jobline/runtime';
import type { RetryPolicy } from './backoff.js';
import { stopCanceled } from './cancel.js';
import { createClaims } from './claim.js';
import type { RunDeps } from './deps.js';
import { createWindow } from './dispatch/window.js';
import { createDispatcher } from './dispatch.js';
import { createEnqueue } from './enqueue.js';
import { publishJobEvents } from './event-streams.js';
import type { EngineEvents } from './events.js';
import { REASONS } from './job-log.js';
import { createRetention } from './maintenance/retention.js';
import { createStoredBytes } from './maintenance/stored-bytes.js';
import { type Consume, type Consumer, createConsumer, type QueueAction } from './queue/consumer.js';
import { cancelChannel, waitingChannel } from './queue/names.js';
import type { Producer } from './queue/producer.js';
import { type Subscription, subscribe } from './queue/subscribe.js';
import { createReconcile, type Reconcile } from './reconcile.js';
import { createRecords } from './record.js';
import { runJob } from './run.js';
import { createCrashIsolation, type RunIsolated } from './worker/crash-isolation.js';
import { createLease } from './worker/lease.js';
import { createPayloadMemory } from './worker/payload-memory.js';
import { createPostgresCircuitBreaker } from './worker/postgres-circuit-breaker.js';
import { createRedeliveryDelay } from './worker/redelivery-delay.js';
import { createRuns } from './worker/runs.js';

export interface WorkOptions {
  db: Db;
  hot: HotDb;
  /** For the heartbeat alone. */
  heartbeatDb: HotDb;
  redisUrl: string;
  prefix: string;
  producer: Producer;
  /** Null: artifacts are kept in Postgres. */
  artifacts: ArtifactStore | null;
  catalogue: Catalogue;
  /** What handlers need from outside, for a run of an organization's job. */
  portsFor(orgId: OrgId): Ports;
  runIsolated: RunIsolated;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  events: EngineEvents;
  /** Queue → how many of its jobs run at once. */
  queues: ReadonlyMap<string, number>;
  retry: RetryPolicy;
  leaseMs: number;
  /** Jobs whose handler has been away for so long fail. */
  noHandlerAfterMs: number;
  /** Finished jobs are deleted after so many days. */
  retentionDays: number;
  /** Entries kept in Redis per queue; null: three times what its live workers run at once. */
  window?: number | null;
  /** For people: which process this is. */
  name: string;
  graceMs?: number;
  /** Where entries are delivered from; absent: BullMQ. */
  consume?: Consume;
  /** Of large payloads of running attempts; absent: a part of the heap. */
  payloadBytes?: number;
}

/** The working half of the engine: consumes the queues and runs their jobs. The worker app drives its timers. */
export interface Work {
  /** Registers and begins to consume. */
  start(): Promise<void>;
  /** Renews the heartbeat and does nothing else. To be called every fifth of a lease, by a timer of its own. */
  beat(): Promise<void>;
  /** Stops canceled runs and releases runs that this worker does not know. To be called every fifth of a lease. */
  checkRuns(): Promise<void>;
  /** To be called every few seconds. */
  reconcile(): Promise<void>;
  /** Deletes a little of what is kept no longer. Answers after how many ms to be called again. */
  retain(): Promise<number>;
  /** Counts what organizations store. Answers after how many ms to be called again. */
  countStored(): Promise<number>;
  /** Moves waiting jobs to their queues. Answers after how many ms to be called again, unless woken. */
  dispatch(): Promise<number>;
  /** Hears what other processes say: that a job is canceled, and, with a call back, that jobs wait in Postgres. */
  subscribe(wake: () => void): Subscription;
  /** To be called a few times a second: writes the log lines of what runs. */
  flushLogs(): Promise<void>;
  /** Attempts that run now. */
  running(): number;
  /** How long ago the heartbeat last succeeded; null: this worker is not registered. */
  heardAgoMs(): number | null;
  /** Takes no more entries, gives what runs `drainMs`, then interrupts it and hands it back to the other workers. */
  drain(drainMs: number): Promise<void>;
  /** Gives up what only one worker does at a time, so that another one does it at once, and deregisters. */
  end(): Promise<void>;
}

const CLAIM_FAILED_DELAY_MS = 1_000;
const DISPATCH_FAILED_MS = 500;
const RETAIN_FAILED_MS = 30_000;
const POLL_MS = 20;

export function createWork(options: WorkOptions): Work {
  const { db, hot, events, catalogue, producer, leaseMs, graceMs = 5_000, consume = createConsumer } = options;
  const types = [...catalogue.keys()];
  const runs = createRuns();
  const crashIsolation = createCrashIsolation();
  publishJobEvents(events, producer);
  const enqueue = createEnqueue({ producer, events });
  const lease = createLease({
    db: options.heartbeatDb,
    events,
    name: options.name,
    leaseMs,
    types: new Map([...catalogue].map(([type, { queue }]) => [type, queue])),
    queues: options.queues,
    onLost: () => runs.interruptAll(REASONS.leaseLost),
  });
  const deps: RunDeps = {
    db,
    artifacts: options.artifacts,
    catalogue,
    portsFor: options.portsFor,
    retry: options.retry,
    events,
    lease,
    runs,
    claims: createClaims({ hot, events, lease, crashIsolation, types, leaseMs }),
    crashIsolation,
    runIsolated: options.runIsolated,
    payloads: createPayloadMemory(db, options.payloadBytes),
    tracing: options.tracing ?? noTracing,
    records: createRecords({ hot, events }),
    enqueue,
    redeliveryDelayMs: createRedeliveryDelay(),
    window: createWindow([...options.queues.keys()], producer),
    graceMs,
    noHandlerAfterMs: options.noHandlerAfterMs,
  };
  const dispatcher = createDispatcher({
    db,
    hot,
    producer,
    events,
    lease,
    queues: QUEUES,
    window: options.window ?? null,
  });
  const reconcile: Reconcile = createReconcile({
    db,
    hot,
    queues: QUEUES,
    producer,
    enqueue,
    events,
    lease,
    runs,
    leaseMs,
  });

  const retention = createRetention({ db, artifacts: options.artifacts, events, lease, days: options.retentionDays });
  const storedBytes = createStoredBytes({ db, lease });

  let consumers: Consumer[] = [];
  const circuitBreaker = createPostgresCircuitBreaker({
    db,
    events,
    pause: async () => void (await Promise.all(consumers.map((consumer) => consumer.pause()))),
    resume: async () => void (await Promise.all(consumers.map((consumer) => consumer.resume()))),
  });

  async function onDelivery(key: JobKey): Promise<QueueAction> {
    try {
      return await runJob(deps, key);
    } catch (error) {
      if (isUnavailable(error)) circuitBreaker.open(error);
      else events.emit('step.failed', { step: 'claim', error });
      return { kind: 'delay', delayMs: CLAIM_FAILED_DELAY_MS };
    }
  }

  return {
    async start() {
      await lease.beat();
      consumers = [...options.queues].map(([queue, concurrency]) =>
        consume({
          redisUrl: options.redisUrl,
          prefix: options.prefix,
          queue,
          concurrency,
          leaseMs,
          events,
          onDelivery,
        }),
      );
    },
    beat: lease.beat,
    async checkRuns() {
      await runStep('stop canceled', stopCanceled(deps, lease.id()));
      await runStep('compare runs', reconcile.compareRuns());
    },
    reconcile: () => runStep('reconcile', reconcile.sweep()),
    retain: () => runTimedStep('retention', retention.round(), RETAIN_FAILED_MS),
    countStored: () => runTimedStep('stored bytes', storedBytes.round(), RETAIN_FAILED_MS),
    dispatch: () => runTimedStep('dispatch', dispatcher.round(), DISPATCH_FAILED_MS),
    subscribe: (wake) =>
      subscribe(
        options,
        new Map([
          [waitingChannel(options.prefix), wake],
          [cancelChannel(options.prefix), runs.cancel],
        ]),
      ),
    flushLogs: () =>
      runStep(
        'flush logs',
        runs
          .flushLogs((lines) => appendLines(db, lines))
          .then((orgIds) => void events.emit('lines.written', { orgIds })),
      ),
    running: () => runs.size(),
    heardAgoMs: lease.heardAgoMs,
    async drain(drainMs) {
      circuitBreaker.close();
      await Promise.all(consumers.map((consumer) => consumer.pause()));
      await idle(drainMs);
      runs.interruptAll(REASONS.workerStops);
      await idle(graceMs + 1_000);
    },
    async end() {
      await runStep('release reconcile', reconcile.end());
      await runStep('release dispatcher', dispatcher.end());
      await runStep('release retention', retention.end());
      await runStep('release stored bytes', storedBytes.end());
      await runStep('deregister', lease.end());
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };

  /** Until nothing runs, or the time is over. */
  async function idle(limitMs: number): Promise<void> {
    for (const end = performance.now() + limitMs; runs.size() > 0 && performance.now() < end; ) await pause(POLL_MS);
  }

  /** What is tried again by itself tells of its failure and lets the rest go on. */
  async function runStep(step: string, work: Promise<void>): Promise<void> {
    await work.catch((error) => events.emit('step.failed', { step, error }));
  }

  /** The same for a step that says when it wants to be called again. */
  async function runTimedStep(step: string, work: Promise<number>, onFailureMs: number): Promise<number> {
    let nextMs = onFailureMs;
    await runStep(
      step,
      work.then((ms) => {
        nextMs = ms;
      }),
    );
    return nextMs;
  }
}
