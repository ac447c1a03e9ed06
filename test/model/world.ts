import type { JobKey, OrgId } from '@jobline/contracts';
import { retryDeadlocks } from '@jobline/db';
import {
  type Cancel,
  type Change,
  createCancel,
  createChange,
  createEnqueue,
  createEvents,
  createPublishedTypes,
  createRetry,
  createRoutes,
  createSubmissions,
  createWindow,
  type Retry,
  type Submissions,
} from '@jobline/engine';
import { createCatalogue, defineHandler, QUEUES } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import { letTimePass } from '../harness/index.js';
import { type FaultyDatabase, faultyDatabase, type ModelDatabase, type Planted } from './database.js';
import { createFakeQueue, type FakeQueue } from './fake-queue.js';
import { createHistory, type History, note, noteJob } from './history.js';
import type { Program } from './program.js';
import { LEASE_MS, type ModelWorker, startWorker } from './workers.js';

/** The functions of the engine that the API calls. */
export interface Callers {
  submissions: Submissions;
  cancel: Cancel;
  change: Change;
  retry: Retry;
}

/** The engine with its own database. A program controls the queues, the workers and the time. */
export interface ModelWorld {
  program: Program;
  database: FaultyDatabase;
  queue: FakeQueue;
  history: History;
  callers: Callers;
  workers: ModelWorker[];
  /** The organization of each sequence. */
  orgIds: OrgId[];
  addWorker(): Promise<void>;
  /** Advances the time of the rows in Postgres, of the queue and of this process. */
  pass(ms: number): Promise<void>;
}

const WORKERS = 4;

export async function createModelWorld(
  on: ModelDatabase,
  program: Program,
  planted: Planted | null = null,
): Promise<ModelWorld> {
  await on.db
    .$executeRaw`TRUNCATE submitted_jobs, live_jobs, finished_jobs, job_logs, workers, worker_types, leases, idempotency_keys,
      job_conditions, unsettled_jobs`;
  const history = createHistory();
  const database = faultyDatabase(on, planted, () => note(history, 'answer lost'));
  const queue = createFakeQueue(
    (key) => history.ownerOf.get(key),
    (what) => note(history, what),
  );
  // The cast: these ids are generated here as ids of organizations.
  const orgIds = program.sequences.map(() => newId() as OrgId);
  const deaf = new Set<string>(orgIds.filter((_, n) => program.sequences[n]?.isDeaf));
  const workers: ModelWorker[] = [];
  const world: ModelWorld = {
    program,
    database,
    queue,
    history,
    callers: createCallers(database, queue, history),
    workers,
    orgIds,
    async addWorker() {
      const at = { queue, database, history, window: program.window, isDeaf: (orgId: string) => deaf.has(orgId) };
      workers.push(await startWorker(`worker ${workers.length}`, at));
    },
    async pass(ms) {
      letTimePass(ms);
      // The product repeats statements that deadlock too: their rows are locked in the order of their plan.
      await retryDeadlocks(
        () => on.db.$executeRaw`
          UPDATE live_jobs SET run_at = run_at - d.by, enqueued_at = enqueued_at - d.by, started_at = started_at - d.by,
            cancel_requested_at = cancel_requested_at - d.by
          FROM (SELECT key, ${ms}::float8 * interval '1 ms' AS by FROM live_jobs ORDER BY key FOR UPDATE) AS d
          WHERE live_jobs.key = d.key`,
      );
      await on.db.$executeRaw`UPDATE workers SET heartbeat_at = heartbeat_at - ${ms}::float8 * interval '1 ms'`;
      await on.db.$executeRaw`UPDATE leases SET expires_at = expires_at - ${ms}::float8 * interval '1 ms'`;
    },
  };
  for (let n = 0; n < WORKERS; n++) await world.addWorker();
  return world;
}

function createCallers({ db, hot }: FaultyDatabase, queue: FakeQueue, history: History): Callers {
  const events = createEvents();
  const known = (e: { key: JobKey; orgId: OrgId }) => noteJob(history, e.orgId, e.key);
  events.on('job.submitted', known);
  const run = async () => null;
  const catalogue = createCatalogue([
    defineHandler({ type: 'model', run }),
    defineHandler({ type: 'brief', queue: 'cpu', run }),
  ]);
  const routes = createRoutes({ catalogue, published: createPublishedTypes({ db, events, leaseMs: LEASE_MS }) });
  const enqueue = createEnqueue({ producer: queue, events });
  const deps = { db, hot, enqueue, producer: queue, window: createWindow(QUEUES, queue), events, routes };
  return {
    submissions: createSubmissions(deps),
    cancel: createCancel(deps),
    change: createChange(deps),
    retry: createRetry(deps),
  };
}
