import type { JobKey, OrgId } from '@jobline/contracts';
import { isUnavailable } from '@jobline/db';
import { appendLines, storeProgress } from '@jobline/db/job-transitions';
import { createCatalogue, QUEUES } from '@jobline/handlers';
import { pause } from '@jobline/runtime';
import { createRedeliver } from './attempt/absent-handler.js';
import { createClaims } from './attempt/claim.js';
import { createClaimWaiting } from './attempt/claim-waiting.js';
import { createCrashIsolation } from './attempt/crash-isolation.js';
import { createLargeWrites } from './attempt/large-writes.js';
import { createPostgresCircuitBreaker } from './attempt/postgres-circuit-breaker.js';
import { createProgressReports } from './attempt/progress.js';
import { createSourceReads } from './attempt/read-source.js';
import { createRecords } from './attempt/record.js';
import { createResolveReferences } from './attempt/resolve-references.js';
import { type RunDeps, runJob, runWaiting, traceOutcomes } from './attempt/run.js';
import { createHandlerCalls, createHoldPayload } from './attempt/run-handler.js';
import { createRuns } from './attempt/runs.js';
import { createSaveArtifact } from './attempt/save-artifact.js';
import { createSubmitFromRun } from './attempt/submit-from-run.js';
import { createCancel } from './changes/cancel.js';
import { createDispatcher } from './fairness/dispatch.js';
import { createWindow } from './fairness/window.js';
import { createBacklogLimit } from './limits/backlog-limit.js';
import { createWakeOthers } from './limits/wake-others.js';
import type { WorkOptions } from './options.js';
import { type Consumer, type ConsumerOptions, createConsumer, type Delivered } from './queue/consumer.js';
import type { DeliveredEntry } from './queue/entry.js';
import { cancelChannel, waitingChannel } from './queue/names.js';
import { type Subscription, subscribe } from './queue/pubsub.js';
import { publishJobEvents } from './reporting/event-streams.js';
import { REASONS } from './reporting/job-log.js';
import { createPlan } from './schedules/plan.js';
import { createLease } from './start/lease.js';
import { createCustomTypes } from './submit/custom-types.js';
import { createEnqueue } from './submit/enqueue.js';
import { createPublishedTypes, createRoutes, type PublishedTypes } from './submit/routes.js';
import { createSubmissions, type SubmitDeps } from './submit/submit.js';
import { createCheckRuns } from './tasks/check-runs.js';
import { createReconcile } from './tasks/reconcile.js';
import type { Task } from './tasks/task.js';
import { createWorkerTasks, endTasks } from './tasks/tasks.js';

/** The part of the engine that consumes the queues and runs their jobs. The worker app calls its periodic steps. */
export type Work = ReturnType<typeof createWork>;

const CLAIM_FAILED_DELAY_MS = 1_000;
const POLL_MS = 20;

/** `moreTasks`: further tasks, which one worker does at a time. */
export function createWork(options: WorkOptions & { moreTasks?: readonly Task[] }) {
  const { db, events, catalogue, producer, leaseMs, graceMs, consume = createConsumer } = options;
  const taken = [...catalogue].filter(([type]) => options.takes?.(type) ?? true);
  const types = taken.map(([type]) => type);
  const runs = createRuns();
  const progress = createProgressReports((reported) => storeProgress(db, reported));
  const writeInTurn = createLargeWrites();
  const crashIsolation = createCrashIsolation();
  publishJobEvents(events, producer);
  traceOutcomes(events);
  const enqueue = createEnqueue({ producer, events });
  const lease = createLease({
    ...options,
    db: options.heartbeatDb,
    types: new Map(
      taken.map(([type, { queue, timeoutMs, maxRetries }]) => [
        type,
        { queue, timeoutMs, maxRetries, schema: options.schemas?.get(type) ?? null },
      ]),
    ),
    onLost: () => runs.interruptAll(REASONS.leaseLost),
  });
  const wakeOthers = createWakeOthers({ db, producer, events });
  // Schedules make jobs for all queues.
  const window = createWindow(QUEUES, producer);
  const published = createPublishedTypes({ db, events, leaseMs });
  const submitDeps = { ...options, enqueue, window, routes: createRoutes({ catalogue, published }) };
  const claimDeps = { ...options, runs, lease, crashIsolation, types };
  const run: RunDeps = {
    claims: createClaims(claimDeps),
    claimWaiting: createClaimWaiting(claimDeps),
    lease,
    redeliver: createRedeliver({ ...options, enqueue }),
    runs,
    handlerCalls: createHandlerCalls({
      ...options,
      progress,
      holdPayload: createHoldPayload(db, options.payloadBytes),
      resolveReferences: createResolveReferences(db),
      saveArtifact: createSaveArtifact({ ...options, writeInTurn }),
      startSourceReads: createSourceReads(options, options.sourceBytes),
      submitFromRun: createSubmitFromRun({ ...options, ...submissionsOf(submitDeps, published) }),
    }),
    retries: { policyOf: (type) => catalogue.get(type)?.backoff ?? options.retry, window },
    records: createRecords({ ...options, runs, enqueue, writeInTurn }),
    events,
    onEnd(claim) {
      crashIsolation.release(claim);
      if (claim.wasHeld) void wakeOthers(claim);
    },
  };
  const reconcile = createReconcile({ ...options, enqueue, lease, queues: QUEUES });
  const checkRuns = createCheckRuns({ ...options, enqueue, lease, runs });
  const planDeps = {
    ...submitDeps,
    cancel: createCancel({ db, producer, events }),
  };
  const plan = createPlan(planDeps);
  const dispatcher = createDispatcher({ ...options, lease, queues: QUEUES, redeliver: run.redeliver });
  const { tasks, look } = createWorkerTasks({ ...planDeps, lease, plan, dispatcher, reconcile });

  let consumers: Consumer[] = [];
  const circuitBreaker = createPostgresCircuitBreaker({
    db,
    events,
    pause: async () => void (await Promise.all(consumers.map((consumer) => consumer.pause()))),
    resume: async () => void (await Promise.all(consumers.map((consumer) => consumer.resume()))),
  });

  /** How many are under way. A job without a handler is failed or moved after its claim. */
  let deliveries = 0;

  async function onDelivery(key: JobKey, entry: DeliveredEntry): Promise<Delivered> {
    checkRuns.noteClaim();
    deliveries++;
    try {
      return await runJob(run, key, entry);
    } catch (error) {
      if (isUnavailable(error)) circuitBreaker.check(error);
      else events.emit('step.failed', { step: 'claim', error });
      return { kind: 'delay', delayMs: CLAIM_FAILED_DELAY_MS };
    } finally {
      deliveries--;
    }
  }

  async function onTickets(
    ...ticketsOf: Parameters<ConsumerOptions['onTickets']>
  ): Promise<readonly (readonly Promise<void>[])[]> {
    try {
      return await runWaiting(run, ...ticketsOf);
    } catch (error) {
      if (isUnavailable(error)) circuitBreaker.check(error);
      else events.emit('step.failed', { step: 'claim', error });
      // The dispatcher adds others for what still waits.
      return [];
    }
  }

  return {
    /** Registers the worker and starts to consume. */
    async start(): Promise<void> {
      await lease.beat();
      consumers = [...options.queues].map(([queue, concurrency]) =>
        consume({ ...options, queue, concurrency, onDelivery, onTickets }),
      );
    },
    /** Renews the heartbeat and does nothing else. Call it every fifth of a lease, from its own timer. */
    beat: lease.beat,
    /** Stops canceled runs and releases runs that this worker does not know. Call it every fifth of a lease. */
    checkRuns: (): Promise<void> => runStep('compare runs', checkRuns.round()),
    /** What a worker does periodically, for the whole service. No round rejects. */
    tasks,
    /** Receives the messages of other processes: about canceled jobs, and about jobs that wait in Postgres. */
    subscribe: (): Subscription =>
      subscribe(
        options,
        new Map([
          [
            waitingChannel(options.prefix),
            () => {
              look();
              dispatcher.look();
            },
          ],
          [cancelChannel(options.prefix), runs.cancel],
        ]),
      ),
    /** Writes the log lines and the progress of running attempts. Call it a few times per second. */
    async flushLogs(): Promise<void> {
      await Promise.all([
        runStep('flush logs', runs.flushLogs((lines) => appendLines(db, lines)).then(publish)),
        flushProgress(),
      ]);
    },
    /** The number of attempts that run now. */
    running: (): number => runs.size(),
    /** Time since the last successful heartbeat, or null if this worker is not registered. */
    heartbeatAgeMs: lease.heartbeatAgeMs,
    /**
     * Takes no more entries, waits `drainMs` for the running attempts, or until `hurry` fires, and then interrupts and releases
     * them. From its beginning, the other processes count this worker as none.
     */
    async drain(drainMs: number, hurry?: AbortSignal): Promise<void> {
      circuitBreaker.stop();
      void lease.drain();
      await Promise.all(consumers.map((consumer) => consumer.pause()));
      await idle(drainMs, hurry);
      runs.interruptAll(REASONS.workerStops);
      await idle(graceMs + 1_000);
    },
    /**
     * Releases the tasks that only one worker does at a time, so that another worker continues them immediately, and
     * deregisters.
     */
    async end(): Promise<void> {
      await flushProgress(true);
      await endTasks(tasks);
      await runStep('deregister', lease.end());
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };

  function publish(orgIds: ReadonlySet<OrgId>): void {
    events.emit('lines.written', { orgIds });
  }

  function flushProgress(isEnd = false): Promise<void> {
    return runStep('flush progress', progress.flush(isEnd).then(publish));
  }

  /** Waits until nothing runs or is being delivered, until the time has passed, or until the signal fires. */
  async function idle(limitMs: number, signal?: AbortSignal): Promise<void> {
    const isLate = () => performance.now() >= endMs || signal?.aborted === true;
    const endMs = performance.now() + limitMs;
    while (runs.size() + deliveries > 0 && !isLate()) await pause(POLL_MS);
  }

  /** Logs the failure of a step that the loop repeats anyway, so that the other steps continue. */
  async function runStep(step: string, work: Promise<void>): Promise<void> {
    await work.catch((error) => events.emit('step.failed', { step, error }));
  }
}

/** What checks and stores the submissions of handlers, as the API does: it knows only the built-in types itself. */
function submissionsOf(deps: SubmitDeps & Pick<WorkOptions, 'submissions'>, published: PublishedTypes) {
  const { allowedTypes, maxWaiting, compileSchema, compose } = deps.submissions;
  const catalogue = createCatalogue();
  const backlogLimit = maxWaiting === null ? undefined : createBacklogLimit({ db: deps.db, maxWaiting });
  return {
    submissions: createSubmissions({ ...deps, ...(backlogLimit && { backlogLimit }) }),
    rules: { catalogue, allowedTypes },
    checks: {
      catalogue,
      customTypes: createCustomTypes({ catalogue, published, compile: compileSchema }),
      compose: () => ({ ...compose, hasFilledMany: () => false }),
    },
  };
}
