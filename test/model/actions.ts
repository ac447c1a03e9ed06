import { setImmediate } from 'node:timers/promises';
import { AppError, assertNever, type JobKey, type OrgId } from '@jobline/contracts';
import { redactJobs } from '@jobline/db/job-transitions';
import { type Changes, type Submission, submissionsKey } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { REDACTED_PAYLOAD } from './check-payloads.js';
import { nextStart, note, noteAnswer, runsOf } from './history.js';
import type { Action, Changed } from './program.js';
import type { ModelWorker } from './workers.js';
import type { ModelWorld } from './world.js';

/** The jobs of one sequence, as its own steps know them. */
export interface Subject {
  orgId: OrgId;
  /** In the order of their submissions. */
  ids: string[];
}

/**
 * Runs one step of a sequence. Resolves when its caller has an answer. Never rejects for an error that a caller may
 * get.
 */
export async function act(world: ModelWorld, subject: Subject, action: Action): Promise<void> {
  note(world.history, `action: ${action.kind}`);
  try {
    await actOrThrow(world, subject, action);
  } catch (error) {
    if (error instanceof AppError) note(world.history, `answer: ${error.code}`);
    else if (error instanceof Error && /Connection terminated/.test(error.message)) {
      note(world.history, 'answer: none');
      world.history.unanswered.add(subject.orgId);
    } else world.history.violations.push({ orgId: subject.orgId, what: `${action.kind} threw ${error}` });
  }
}

async function actOrThrow(world: ModelWorld, subject: Subject, action: Action): Promise<void> {
  const { orgId, ids } = subject;
  const jobs = world.history.jobs.get(orgId) ?? [];
  switch (action.kind) {
    case 'rest':
      return;
    case 'submit':
      return submit(world, subject, action);
    case 'fate':
      return world.queue.setFate(orgId, action.fate);
    case 'cancel':
      return withNth(ids, action.job, async (id) => {
        const status = await world.callers.cancel(orgId, id);
        note(world.history, `canceled: ${status}`);
        if (status === 'failed') noteAnswer(world.history, orgId, id, 'canceledAtOnce');
      });
    case 'retry':
      return withNth(ids, action.job, async (id) => {
        const status = await world.callers.retry(orgId, id);
        note(world.history, `retried: ${status}`);
        if (status !== null) noteAnswer(world.history, orgId, id, 'retried');
      });
    case 'change':
      return withNth(ids, action.job, async (id) => {
        const isKnown = await world.callers.change(orgId, id, changesOf(action.what));
        note(world.history, isKnown ? `changed: ${action.what}` : 'changed: unknown');
        if (isKnown) noteAnswer(world.history, orgId, id, 'changed');
      });
    case 'redact':
      return withNth(jobs, action.job, (key) => redact(world, key));
    case 'deliver':
      return withNth(jobs, action.job, (key) => deliver(world, key, action.worker, action.isAgain));
    case 'finish':
      return withNth(jobs, action.job, async (key) => {
        const running = runsOf(world.history, key).filter((run) => run.ended === null && !isGone(world, run.worker));
        running.at(action.isOldest ? 0 : -1)?.end(action.ending);
      });
    case 'due':
      return withNth(jobs, action.job, async (key) => {
        world.queue.makeDue(key);
        await world.database.db.$executeRaw`
          UPDATE live_jobs SET run_at = least(run_at, now()) WHERE key = ${key}::uuid AND status::text = 'pending'`;
      });
    case 'lose-entry':
      return withNth(jobs, action.job, async (key) => note(world.history, 'entry lost', world.queue.lose(key)));
    case 'crash-count':
      return withNth(jobs, action.job, async (key) => {
        await world.database.db.$executeRaw`
          UPDATE live_jobs SET crash_count = ${action.crashes} WHERE key = ${key}::uuid AND status::text = 'pending'`;
      });
    default:
      assertNever(action);
  }
}

async function withNth<T>(items: readonly T[], n: number, work: (item: T) => Promise<void>): Promise<void> {
  const item = items[n % Math.max(1, items.length)];
  if (item !== undefined) await work(item);
}

export function isGone(world: ModelWorld, name: string): boolean {
  return world.workers.some((worker) => worker.isGone && worker.name === name);
}

async function submit(
  world: ModelWorld,
  subject: Subject,
  { how, hasId, isDuplicate, isLater, waits, type }: Extract<Action, { kind: 'submit' }>,
): Promise<void> {
  const { orgId, ids } = subject;
  const nth = isDuplicate && ids.length > 0 ? ids.length : ids.length + 1;
  const id = hasId ? `job-${nth}` : undefined;
  const runAt = isLater ? inMinutes() : null;
  const named = new Set((waits?.jobs ?? []).flatMap((nth) => ids[nth % Math.max(1, ids.length)] ?? []));
  const after = [...named].map((one) => ({ id: one, when: waits?.when ?? 'done', refers: false }));
  const submission: Submission = { id, type, payload: {}, maxRetries: 1, priority: 0, runAt, after };
  // Known before the answer, so that a cancellation can come before it.
  if (id !== undefined && !ids.includes(id)) ids.push(id);
  const { submissions } = world.callers;
  const key = submissionsKey('model', how === 'with-key' ? `key-${nth}` : undefined, [submission]);
  const afterFirst = waits && id !== undefined ? [{ id, when: waits.when, refers: false }] : [];
  const both = [submission, { ...submission, id: id && `${id}b`, after: [...after, ...afterFirst] }];
  const answers =
    how === 'batch'
      ? (await submissions.submitAll(orgId, both, { key, pathIn: (_n, path) => path })).answers
      : [await submissions.submit(orgId, submission, { key })];
  for (const answer of answers) {
    if (!ids.includes(answer.id)) ids.push(answer.id);
    note(world.history, answer.replayed ? 'submitted: repeated' : 'submitted: new');
    if (waits && named.size > 0 && !answer.replayed) note(world.history, `submitted: waits until ${waits.when}`);
    if (!answer.replayed) noteAnswer(world.history, orgId, answer.id, 'fresh');
  }
}

/** A time between one and two minutes ahead, the same for two submissions of one moment. */
function inMinutes(): Date {
  return new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000);
}

/** No two changes write the same payload. */
function changesOf(what: Changed): Changes {
  switch (what) {
    case 'payload':
      return { payload: { version: newId() } };
    case 'later':
      return { runAt: inMinutes() };
    case 'now':
      return { runAt: null };
    case 'priority':
      return { priority: Math.floor(Math.random() * 10) };
    default:
      return assertNever(what);
  }
}

async function redact(world: ModelWorld, key: JobKey): Promise<void> {
  const { db } = world.database;
  const [job] = await db.$queryRaw<{ finishedAt: Date }[]>`
    SELECT finished_at AS "finishedAt" FROM finished_jobs WHERE key = ${key}::uuid`;
  if (!job) return;
  await redactJobs(db, ['version'], [{ key, ...job, payload: JSON.stringify(REDACTED_PAYLOAD) }]);
  note(world.history, 'redacted');
}

/** Delivers the entry of a job, or the job again. Resolves when it runs, or will not run. */
async function deliver(world: ModelWorld, key: JobKey, nth: number, isAgain: boolean): Promise<void> {
  const present = world.workers.filter((worker) => !worker.isGone);
  const worker = present[nth % Math.max(1, present.length)];
  if (!worker) return;
  const entry = isAgain ? null : world.queue.take(key, worker.name);
  const orgId = world.history.ownerOf.get(key);
  if (!entry && !isAgain) return orgId === undefined ? undefined : useTicket(world, orgId, worker);
  note(world.history, isAgain ? 'delivered again' : 'delivered');
  const started = nextStart(world.history, key);
  try {
    const delivered = await worker.deliver(key, entry?.entry ?? { queue: 'io' });
    if (isAgain) note(world.history, `repeated delivery: ${delivered.kind}`);
    else if (!worker.isGone) entry?.settle(delivered);
    if (delivered.kind === 'running') await Promise.race([started, delivered.ended]);
  } catch (error) {
    world.history.violations.push({ orgId: orgId ?? null, what: `a delivery threw ${error}` });
  }
}

/** How many slots of a worker are free for a ticket. */
const FREE_SLOTS = 5;

/** Lets a worker use a ticket of the organization. Resolves when the jobs that it starts run. */
async function useTicket(world: ModelWorld, orgId: string, worker: ModelWorker): Promise<void> {
  const delivery = world.queue.takeTicket(orgId, worker.name);
  const { ticket, queue = 'io', isLowPriority = false } = delivery?.entry ?? {};
  if (!delivery || !ticket) return;
  note(world.history, 'delivered a ticket');
  const count = Math.min(ticket.count, FREE_SLOTS);
  const started = (await worker.startWaiting([{ ...ticket, count }], { queue, isLowPriority })).flat();
  if (started.length > 1) note(world.history, 'started several jobs of a ticket');
  if (!worker.isGone) delivery.settle(null);
  // Their handlers begin without another statement.
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}

/** Delivers all entries that are due, to the workers in turns. */
export async function deliverDue(world: ModelWorld): Promise<void> {
  await Promise.all(
    world.queue.due().map(async ({ key, orgId }, n) => {
      if (key !== null) return deliver(world, key, n, false);
      const present = world.workers.filter((worker) => !worker.isGone);
      const worker = present[n % Math.max(1, present.length)];
      if (worker) await useTicket(world, orgId, worker);
    }),
  );
}
