import type { JobKey } from '@jobline/contracts';
import { isUnavailable } from '@jobline/db';
import { appendLines } from '@jobline/db/job-transitions';
import { QUEUES } from '@jobline/handlers';
import { pause } from '@jobline/runtime';
import { createRedeliver } from './attempt/absent-handler.js';
import { createClaims } from './attempt/claim.js';
import { createCrashIsolation } from './attempt/crash-isolation.js';
import { createLargeWrites } from './attempt/large-writes.js';
import { createPostgresCircuitBreaker } from './attempt/postgres-circuit-breaker.js';
import { createRecords } from './attempt/record.js';
import { type RunDeps, runJob, traceOutcomes } from './attempt/run.js';
import { createHandlerCalls, createHoldPayload } from './attempt/run-handler.js';
import { createRuns } from './attempt/runs.js';
import { createSaveArtifact } from './attempt/save-artifact.js';
import { createCancel, stopCanceled } from './changes/cancel.js';
import { createDispatcher } from './fairness/dispatch.js';
import { createWindow } from './fairness/window.js';
import { createWakeOthers } from './limits/wake-others.js';
import type { WorkOptions } from './options.js';
import { type Consumer, createConsumer, type Delivered } from './queue/consumer.js';
import type { DeliveredEntry } from './queue/entry.js';
import { cancelChannel, waitingChannel } from './queue/names.js';
import { type Subscription, subscribe } from './queue/pubsub.js';
import { publishJobEvents } from './reporting/event-streams.js';
import { REASONS } from './reporting/job-log.js';
import { createPlan } from './schedules/plan.js';
import { createLease } from './start/lease.js';
import { createEnqueue } from './submit/enqueue.js';
import { createPublishedTypes, createRoutes } from './submit/routes.js';
import { createReconcile } from './tasks/reconcile.js';
import { createWorkerTasks } from './tasks/tasks.js';

/** The part of the engine that consumes the queues and runs their jobs. The worker app calls its periodic steps. */
export type Work = ReturnType<typeof createWork>;

const CLAIM_FAILED_DELAY_MS = 1_000;
const POLL_MS = 20;

export function createWork(options: WorkOptions) {
  const { db, events, catalogue, producer, leaseMs, graceMs, consume = createConsumer } = options;
  const types = [...catalogue.keys()];
  const runs = createRuns();
  const writeInTurn = createLargeWrites();
  const crashIsolation = createCrashIsolation();
  publishJobEvents(events, producer);
  traceOutcomes(events);
  const enqueue = createEnqueue({ producer, events });
  const lease = createLease({
    ...options,
    db: options.heartbeatDb,
    types: new Map(
      [...catalogue].map(([type, { queue, timeoutMs }]) => [
        type,
        { queue, timeoutMs, schema: options.schemas?.get(type) ?? null },
      ]),
    ),
    onLost: () => runs.interruptAll(REASONS.leaseLost),
  });
  const wakeOthers = createWakeOthers({ db, producer, events });
  // Schedules make jobs for all queues.
  const window = createWindow(QUEUES, producer);
  const run: RunDeps = {
    claims: createClaims({ ...options, runs, lease, crashIsolation, types }),
    lease,
    redeliver: createRedeliver({ ...options, enqueue }),
    runs,
    handlerCalls: createHandlerCalls({
      ...options,
      holdPayload: createHoldPayload(db, options.payloadBytes),
      saveArtifact: createSaveArtifact({ ...options, writeInTurn }),
    }),
    retries: { policy: options.retry, window },
    records: createRecords({ ...options, runs, enqueue, writeInTurn }),
    events,
    onEnd(claim) {
      crashIsolation.release(claim);
      if (claim.wasHeld) void wakeOthers(claim);
    },
  };
  const reconcile = createReconcile({ ...options, enqueue, lease, runs, queues: QUEUES });
  const planDeps = {
    ...options,
    enqueue,
    window,
    routes: createRoutes({ catalogue, published: createPublishedTypes({ db, events, leaseMs }) }),
    cancel: createCancel({ db, producer, events }),
  };
  const plan = createPlan(planDeps);
  const dispatcher = createDispatcher({ ...options, lease, queues: QUEUES });
  const tasks = createWorkerTasks({ ...planDeps, lease, plan, dispatcher, reconcile });

  let consumers: Consumer[] = [];
  const circuitBreaker = createPostgresCircuitBreaker({
    db,
    events,
    pause: async () => void (await Promise.all(consumers.map((consumer) => consumer.pause()))),
    resume: async () => void (await Promise.all(consumers.map((consumer) => consumer.resume()))),
  });

  async function onDelivery(key: JobKey, entry: DeliveredEntry): Promise<Delivered> {
    try {
      return await runJob(run, key, entry);
    } catch (error) {
      if (isUnavailable(error)) circuitBreaker.check(error);
      else events.emit('step.failed', { step: 'claim', error });
      return { kind: 'delay', delayMs: CLAIM_FAILED_DELAY_MS };
    }
  }

  return {
    /** Registers the worker and starts to consume. */
    async start(): Promise<void> {
      await lease.beat();
      consumers = [...options.queues].map(([queue, concurrency]) =>
        consume({ ...options, queue, concurrency, onDelivery }),
      );
    },
    /** Renews the heartbeat and does nothing else. Call it every fifth of a lease, from its own timer. */
    beat: lease.beat,
    /** Stops canceled runs and releases runs that this worker does not know. Call it every fifth of a lease. */
    async checkRuns(): Promise<void> {
      await runStep('stop canceled', stopCanceled({ db, runs }, lease.id()));
      await runStep('compare runs', reconcile.compareRuns());
    },
    /** What a worker does periodically, for the whole service. No round rejects. */
    tasks,
    /** Receives the messages of other processes: about canceled jobs, and about jobs that wait in Postgres. */
    subscribe: (): Subscription =>
      subscribe(
        options,
        new Map([
          [waitingChannel(options.prefix), () => dispatcher.look()],
          [cancelChannel(options.prefix), runs.cancel],
        ]),
      ),
    /** Writes the log lines of running attempts. Call it a few times per second. */
    flushLogs: (): Promise<void> =>
      runStep(
        'flush logs',
        runs
          .flushLogs((lines) => appendLines(db, lines))
          .then((orgIds) => void events.emit('lines.written', { orgIds })),
      ),
    /** The number of attempts that run now. */
    running: (): number => runs.size(),
    /** Time since the last successful heartbeat, or null if this worker is not registered. */
    heartbeatAgeMs: lease.heartbeatAgeMs,
    /** Takes no more entries, waits `drainMs` for the running attempts, and then interrupts and releases them. */
    async drain(drainMs: number): Promise<void> {
      circuitBreaker.stop();
      await Promise.all(consumers.map((consumer) => consumer.pause()));
      await idle(drainMs);
      runs.interruptAll(REASONS.workerStops);
      await idle(graceMs + 1_000);
    },
    /**
     * Releases the tasks that only one worker does at a time, so that another worker continues them immediately, and
     * deregisters.
     */
    async end(): Promise<void> {
      for (const task of tasks) if (task.end) await runStep(`release ${task.name}`, task.end());
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
}
