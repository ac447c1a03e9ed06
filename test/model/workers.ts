import type { JobKey, JsonObject } from '@jobline/contracts';
import {
  type ConsumerOptions,
  createEvents,
  createWork,
  type Delivered,
  type DeliveredEntry,
  type Work,
} from '@jobline/engine';
import {
  type Catalogue,
  type Compose,
  createCatalogue,
  defineHandler,
  PermanentError,
  type Ports,
  Postponed,
  type RunContext,
} from '@jobline/handlers';
import type { FaultyDatabase } from './database.js';
import type { FakeQueue } from './fake-queue.js';
import { addRun, type HandlerRun, type History, note, STOPPED_LINE } from './history.js';
import type { Ending } from './program.js';

/** A worker of the engine. The model controls its timers and its deliveries. */
export interface ModelWorker {
  name: string;
  work: Work;
  /** Whether it sends heartbeats. */
  isBeating: boolean;
  /** Whether its process was killed. */
  isGone: boolean;
  deliver(key: JobKey, entry: DeliveredEntry): Promise<Delivered>;
  startWaiting: ConsumerOptions['onTickets'];
}

export const LEASE_MS = 4_000;
const QUEUES = new Map([
  ['io', 50],
  ['cpu', 50],
]);
const RETRY = { baseMs: 1_000, maxMs: 5_000 };
const NO_HANDLER_AFTER_MS = 900_000;
/** How long to wait for a handler that ignores its signal, by a real timer. */
const GRACE_MS = 2;
const BRIEF_MS = 3;

export async function startWorker(
  name: string,
  at: { queue: FakeQueue; database: FaultyDatabase; history: History; window: number; isDeaf(orgId: string): boolean },
): Promise<ModelWorker> {
  const { queue, database, history } = at;
  const events = createEvents();
  events.on('attempt.fenced', () => note(history, 'fenced'));
  events.on('handler.unresponsive', () => note(history, 'unresponsive handler'));
  events.on('attempt.finished', ({ outcome }) => note(history, `recorded: ${outcome}`));
  events.on('jobs.taken-over', ({ count }) => note(history, 'taken over', count));
  events.on('jobs.re-enqueued', ({ count }) => note(history, 're-enqueued', count));
  events.on('jobs.dispatched', ({ count }) => note(history, 'dispatched', count));
  events.on('jobs.expired', ({ count }) => note(history, 'expired', count));
  events.on('runs.released', ({ count }) => note(history, 'released as unknown', count));
  events.on('runs.failed', ({ count }) => note(history, 'ended as canceled', count));
  events.on('lease.lost', () => note(history, 'lease lost'));
  events.on('step.failed', ({ step }) => note(history, `step failed: ${step}`));
  let deliver: ModelWorker['deliver'] | null = null;
  let startWaiting: ModelWorker['startWaiting'] | null = null;
  const work = createWork({
    db: database.db,
    hot: database.hot,
    heartbeatDb: database.hot,
    redisUrl: '',
    prefix: 'model',
    producer: queue,
    artifacts: null,
    catalogue: catalogueOf(name, history, at.isDeaf),
    // The cast: the handlers of the model use no ports.
    portsFor: () => ({}) as Ports,
    runIsolated: async (_type, payload, ctx, begin) => {
      note(history, 'ran isolated');
      begin();
      return runUntilEnded(name, history, at.isDeaf, payload, ctx);
    },
    // The cast: nothing of the model submits a job from a handler.
    submissions: { allowedTypes: undefined, maxWaiting: null, compileSchema: () => null, compose: {} as Compose },
    events,
    queues: QUEUES,
    retry: RETRY,
    leaseMs: LEASE_MS,
    noHandlerAfterMs: NO_HANDLER_AFTER_MS,
    retentionDays: 0,
    storesStacks: true,
    window: at.window,
    orgMaxRunning: null,
    maxStoredBytes: Number.MAX_SAFE_INTEGER,
    name,
    graceMs: GRACE_MS,
    consume: ({ onDelivery, onTickets }) => {
      deliver = onDelivery;
      startWaiting = onTickets;
      return { pause: async () => undefined, resume: async () => undefined, close: async () => undefined };
    },
  });
  await work.start();
  return {
    name,
    work,
    isBeating: true,
    isGone: false,
    deliver: async (key, entry) => (deliver ? deliver(key, entry) : { kind: 'delay', delayMs: 0 }),
    startWaiting: async (tickets, entry) => (startWaiting ? startWaiting(tickets, entry) : []),
  };
}

/** Runs one round of a task of the worker, if the worker gets its lease. Returns the pause after it, in ms. */
export async function runTask(worker: ModelWorker | undefined, name: string): Promise<number> {
  let pauseMs = Number.POSITIVE_INFINITY;
  if (!worker) return pauseMs;
  for (const wanted of ['leases', name]) {
    const task = worker.work.tasks.find((one) => one.name === wanted);
    if (!task) throw new Error(`a worker has no task "${wanted}"`);
    pauseMs = await task.round();
  }
  return pauseMs;
}

function catalogueOf(worker: string, history: History, isDeaf: (orgId: string) => boolean): Catalogue {
  const run = (payload: object, ctx: RunContext) => runUntilEnded(worker, history, isDeaf, payload, ctx);
  return createCatalogue([
    defineHandler({ type: 'model', timeoutMs: 3_600_000, run }),
    defineHandler({ type: 'brief', timeoutMs: BRIEF_MS, queue: 'cpu', run }),
  ]);
}

/** Runs until a step of the program ends it, or until its signal fires. */
function runUntilEnded(
  worker: string,
  history: History,
  isDeaf: (orgId: string) => boolean,
  payload: object,
  { idempotencyKey: key, attempt, orgId, signal, log }: RunContext,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const run: HandlerRun = {
      key,
      attempt,
      worker,
      // The cast: a payload is JSON.
      payload: payload as JsonObject,
      ended: null,
      end(how) {
        if (run.ended) return;
        run.ended = how;
        note(history, `handler: ${how}`);
        if (how === 'done') resolve({ attempt });
        else reject(errorOf(how, attempt));
      },
    };
    addRun(history, run);
    log('info', 'begun');
    signal.addEventListener('abort', () => {
      if (isDeaf(orgId) || run.ended) return;
      run.ended = 'stopped';
      log('info', STOPPED_LINE);
      reject(signal.reason);
    });
  });
}

function errorOf(how: Exclude<Ending, 'done'>, attempt: number): Error {
  if (how === 'postpone') return new Postponed(500, `not yet ${attempt}`);
  return how === 'permanent' ? new PermanentError(`boom ${attempt}`) : new Error(`boom ${attempt}`);
}
