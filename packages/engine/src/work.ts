import type { JobKey } from '@jobline/contracts';
import { isUnavailable } from '@jobline/db';
import { appendLines } from '@jobline/db/job-transitions';
import { QUEUES } from '@jobline/handlers';
import { pause } from '@jobline/runtime';
import { createAbsentHandlers } from './attempt/absent-handler.js';
import { createClaims } from './attempt/claim.js';
import { createCrashIsolation } from './attempt/crash-isolation.js';
import { createPayloadMemory } from './attempt/payload-memory.js';
import { createPostgresCircuitBreaker } from './attempt/postgres-circuit-breaker.js';
import { createRecords } from './attempt/record.js';
import { type RunDeps, runJob } from './attempt/run.js';
import { createHandlerCalls } from './attempt/run-handler.js';
import { createRuns } from './attempt/runs.js';
import { createSaveArtifact } from './attempt/save-artifact.js';
import { createCancel, stopCanceled } from './changes/cancel.js';
import { createExpire } from './changes/expire.js';
import { createDispatcher } from './fairness/dispatch.js';
import { createWindow } from './fairness/window.js';
import { createWakeOthers } from './limits/wake-others.js';
import type { WorkOptions } from './options.js';
import { type Consumer, createConsumer, type Delivered } from './queue/consumer.js';
import { cancelChannel, waitingChannel } from './queue/names.js';
import { type Subscription, subscribe } from './queue/pubsub.js';
import { traceOutcomes } from './reporting/attempt-spans.js';
import { publishJobEvents } from './reporting/event-streams.js';
import { REASONS } from './reporting/job-log.js';
import { createPlan } from './schedules/plan.js';
import { createLease } from './start/lease.js';
import { createEnqueue } from './submit/enqueue.js';
import { createPublishedTypes, createRoutes } from './submit/routes.js';
import { createDeliver } from './tasks/deliver.js';
import { createReconcile } from './tasks/reconcile.js';
import { createRedaction } from './tasks/redaction.js';
import { createRetention } from './tasks/retention.js';
import { createRollUp } from './tasks/roll-up.js';
import { createStoredBytes } from './tasks/stored-bytes.js';

/** The part of the engine that consumes the queues and runs their jobs. The worker app calls its periodic steps. */
export interface Work {
  /** Registers the worker and starts to consume. */
  start(): Promise<void>;
  /** Renews the heartbeat and does nothing else. Call it every fifth of a lease, from its own timer. */
  beat(): Promise<void>;
  /** Stops canceled runs and releases runs that this worker does not know. Call it every fifth of a lease. */
  checkRuns(): Promise<void>;
  /** Call it every few seconds. */
  reconcile(): Promise<void>;
  /** Makes jobs for the deliveries of events. Returns the time in ms until the next call. */
  deliver(): Promise<number>;
  /** Fails jobs that have expired. Returns the time in ms until the next call. */
  expire(): Promise<number>;
  /** Makes the jobs of schedules that are due. Returns the time in ms until the next call. */
  plan(): Promise<number>;
  /** Deletes some values of redacted keys. Returns the time in ms until the next call. */
  redact(): Promise<number>;
  /** Deletes some of the data whose retention time has passed. Returns the time in ms until the next call. */
  retain(): Promise<number>;
  /** Counts some of the finished jobs for the statistics. Returns the time in ms until the next call. */
  rollUp(): Promise<number>;
  /** Counts the bytes that organizations store. Returns the time in ms until the next call. */
  countStored(): Promise<number>;
  /** Moves waiting jobs to their queues. Returns the time in ms until the next call, unless it is woken. */
  dispatch(): Promise<number>;
  /**
   * Receives the messages of other processes: about canceled jobs and, through the callback, about jobs that wait in
   * Postgres.
   */
  subscribe(wake: () => void): Subscription;
  /** Writes the log lines of running attempts. Call it a few times per second. */
  flushLogs(): Promise<void>;
  /** The number of attempts that run now. */
  running(): number;
  /** Time since the last successful heartbeat, or null if this worker is not registered. */
  heartbeatAgeMs(): number | null;
  /** Takes no more entries, waits `drainMs` for the running attempts, and then interrupts and releases them. */
  drain(drainMs: number): Promise<void>;
  /**
   * Releases the tasks that only one worker does at a time, so that another worker continues them immediately, and
   * deregisters.
   */
  end(): Promise<void>;
}

const CLAIM_FAILED_DELAY_MS = 1_000;
const DISPATCH_FAILED_MS = 500;
const RETAIN_FAILED_MS = 30_000;
const POLL_MS = 20;

export function createWork(options: WorkOptions): Work {
  const { db, hot, events, catalogue, producer, leaseMs, graceMs, consume = createConsumer } = options;
  const types = [...catalogue.keys()];
  const runs = createRuns();
  const crashIsolation = createCrashIsolation();
  publishJobEvents(events, producer);
  traceOutcomes(events);
  const enqueue = createEnqueue({ producer, events });
  const lease = createLease({
    db: options.heartbeatDb,
    events,
    name: options.name,
    leaseMs,
    types: new Map(
      [...catalogue].map(([type, { queue, timeoutMs }]) => [
        type,
        { queue, timeoutMs, schema: options.schemas?.get(type) ?? null },
      ]),
    ),
    queues: options.queues,
    onLost: () => runs.interruptAll(REASONS.leaseLost),
  });
  const wakeOthers = createWakeOthers({ db, producer, events });
  // Schedules make jobs for all queues.
  const window = createWindow(QUEUES, producer);
  const run: RunDeps = {
    claims: createClaims({ db, hot, events, runs, lease, crashIsolation, types, leaseMs }),
    lease,
    absentHandlers: createAbsentHandlers({ db, enqueue, events, noHandlerAfterMs: options.noHandlerAfterMs }),
    runs,
    handlerCalls: createHandlerCalls({
      catalogue,
      portsFor: options.portsFor,
      runIsolated: options.runIsolated,
      payloads: createPayloadMemory(db, options.payloadBytes),
      saveArtifact: createSaveArtifact({ db, store: options.artifacts, maxStoredBytes: options.maxStoredBytes }),
      events,
      graceMs,
    }),
    retries: { policy: options.retry, window },
    records: createRecords({ db, hot, runs, enqueue, events }),
    events,
    onEnd(claim) {
      crashIsolation.release(claim);
      if (claim.wasHeld) void wakeOthers(claim);
    },
  };
  const reconcile = createReconcile({ db, hot, events, lease, runs, enqueue, queues: QUEUES, producer, leaseMs });
  const plan = createPlan({
    db,
    events,
    enqueue,
    window,
    producer,
    maxStoredBytes: options.maxStoredBytes,
    routes: createRoutes({ catalogue, published: createPublishedTypes({ db, events, leaseMs }) }),
    cancel: createCancel({ db, producer, events }),
  });
  const dispatcher = createDispatcher({
    db,
    hot,
    producer,
    events,
    lease,
    queues: QUEUES,
    window: options.window,
    orgMaxRunning: options.orgMaxRunning,
  });
  const redaction = createRedaction({ db, events, lease });
  const retention = createRetention({ db, artifacts: options.artifacts, events, lease, days: options.retentionDays });
  const rollUp = createRollUp({ db, lease });
  const storedBytes = createStoredBytes({ db, lease });

  let consumers: Consumer[] = [];
  const circuitBreaker = createPostgresCircuitBreaker({
    db,
    events,
    pause: async () => void (await Promise.all(consumers.map((consumer) => consumer.pause()))),
    resume: async () => void (await Promise.all(consumers.map((consumer) => consumer.resume()))),
  });

  async function onDelivery(key: JobKey, isLowPriority: boolean): Promise<Delivered> {
    try {
      return await runJob(run, key, isLowPriority);
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
      await runStep('stop canceled', stopCanceled({ db, runs }, lease.id()));
      await runStep('compare runs', reconcile.compareRuns());
    },
    reconcile: () => runStep('reconcile', reconcile.sweep()),
    deliver: createDeliver({ db, events, enqueue, window, producer }),
    expire: createExpire({ db, producer, events }),
    plan: plan.round,
    redact: () => runTimedStep('redaction', redaction.round(), RETAIN_FAILED_MS),
    retain: () => runTimedStep('retention', retention.round(), RETAIN_FAILED_MS),
    rollUp: () => runTimedStep('roll-up', rollUp.round(), RETAIN_FAILED_MS),
    countStored: () => runTimedStep('stored bytes', storedBytes.round(), RETAIN_FAILED_MS),
    dispatch: () => runTimedStep('dispatch', dispatcher.round(), DISPATCH_FAILED_MS),
    subscribe: (wake) =>
      subscribe(
        options,
        new Map([
          [
            waitingChannel(options.prefix),
            () => {
              dispatcher.look();
              wake();
            },
          ],
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
    heartbeatAgeMs: lease.heartbeatAgeMs,
    async drain(drainMs) {
      circuitBreaker.stop();
      await Promise.all(consumers.map((consumer) => consumer.pause()));
      await idle(drainMs);
      runs.interruptAll(REASONS.workerStops);
      await idle(graceMs + 1_000);
    },
    async end() {
      const tasks = { reconcile, dispatcher, redaction, retention, 'roll-up': rollUp, 'stored bytes': storedBytes };
      for (const [name, task] of Object.entries(tasks)) await runStep(`release ${name}`, task.end());
      await runStep('deregister', lease.end());
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };

  /** Waits until nothing runs, or until the time has passed. */
  async function idle(limitMs: number): Promise<void> {
    for (const end = performance.now() + limitMs; runs.size() > 0 && performance.now() < end; ) await pause(POLL_MS);
  }

  /** Logs the failure of a step that the loop repeats anyway, so that the other steps continue. */
  async function runStep(step: string, work: Promise<void>): Promise<void> {
    await work.catch((error) => events.emit('step.failed', { step, error }));
  }

  /** Like runStep, for a step that returns the time until its next call. */
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
