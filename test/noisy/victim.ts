import type { Db } from '@jobline/db';
import { newId, pause } from '@jobline/runtime';
import { createCall, type Person, type Receiver, register, runToEnd } from '../harness/index.js';

/**
 * The requests that are measured, with the pause after each. Submissions without and with a limit alternate; a p99 needs more than a
 * hundred of each.
 */
const EVERY_MS = { read: 100, submit: 50, list: 250, change: 500, statistics: 1_000, expire: 1_000 } as const;

export type Operation = keyof typeof EVERY_MS;

/** An event that arrives later counts as lost. */
const LOST_AFTER_MS = 60_000;

const EXPIRES_AFTER_MS = 1_000;
/** The limits of the victim: one that is never reached, and one that lets no job start. */
const OWN_LIMIT = 'own';
const CLOSED_LIMIT = 'closed';

/** What an organization saw of an attack by another one. */
export interface Seen {
  /** The slowest answer to each request. */
  worstMs: Record<Operation, number>;
  /** Times from the acceptance of a job to its start, in ascending order: of jobs without a limit, and of those under one. */
  startsMs: number[];
  limitedStartsMs: number[];
  /** Times from the end of a job's run, or from its expiry, to the arrival of its event, in ascending order. */
  eventsMs: number[];
  /** Jobs whose event did not arrive, or reported something else. */
  lost: number;
  /** Unexpected answers. */
  refused: string[];
}

export interface Victim {
  orgId: string;
  /** Sends requests until the signal fires. Waits for every answer, and then for the events of its jobs. */
  watch(signal: AbortSignal): Promise<Seen>;
  /** Deletes the webhooks of its organization that it has not made. */
  removeWebhooks(): Promise<void>;
}

/** A job of the victim, by the path of its webhook. */
interface OwnJob {
  id: string;
  event: 'job.done' | 'job.failed';
  expiresAt: number | null;
}

/** Registers an organization with a webhook for its events, a schedule and limits. It uses the API processes in turns. */
export async function createVictim(urls: () => readonly string[], receiver: Receiver, db: Db): Promise<Victim> {
  let turn = 0;
  const person = await register((...request) => {
    const known = urls();
    return createCall(known[turn++ % known.length] ?? '')(...request);
  });
  const types = ['job.done', 'job.failed'];
  const receives = { url: `${byName(receiver.url)}/events`, events: types };
  const { body: webhook } = await expectStatus(201, person.post('/org/webhooks', receives));
  await expectStatus(200, person.put(`/org/limits/${OWN_LIMIT}`, { concurrency: 1_000 }));
  await expectStatus(200, person.put(`/org/limits/${CLOSED_LIMIT}`, { paused: true }));
  const plan = { name: 'own', every_seconds: 86_400, ...webhookJob(receiver, '/planned') };
  const { body: schedule } = await expectStatus(201, person.post('/schedules', plan));
  // The first job waits until a worker has started.
  await runToEnd(person, 'webhook', webhookJob(receiver, '/first').payload);
  return {
    orgId: person.orgId,
    watch: (signal) => watch({ person, receiver, db, scheduleId: schedule.id }, signal),
    async removeWebhooks() {
      const { body: webhooks } = await expectStatus(200, person.get('/org/webhooks'));
      for (const { id } of webhooks)
        if (id !== webhook.id) await expectStatus(204, person.delete(`/org/webhooks/${id}`));
    },
  };
}

interface Watching {
  person: Person;
  receiver: Receiver;
  db: Db;
  scheduleId: string;
}

async function watch({ person, receiver, db, scheduleId }: Watching, signal: AbortSignal): Promise<Seen> {
  receiver.received.length = 0;
  const worstMs = { read: 0, submit: 0, list: 0, change: 0, statistics: 0, expire: 0 };
  const refused: string[] = [];
  const jobs = new Map<string, OwnJob>();
  let latest: string | null = null;
  let changes = 0;
  let submissions = 0;

  async function submit(more: { limit?: string; expires_at?: string }, { event, expiresAt }: Omit<OwnJob, 'id'>) {
    const path = `/victim/${newId()}`;
    const answer = await person.post('/jobs', { ...webhookJob(receiver, path), max_retries: 3, ...more });
    if (answer.status === 202) jobs.set(path, { id: answer.body.id, event, expiresAt });
    return answer;
  }

  const requests: Record<Operation, () => Promise<{ status: number }>> = {
    async submit() {
      const more = submissions++ % 2 === 0 ? {} : { limit: OWN_LIMIT };
      const answer = await submit(more, { event: 'job.done', expiresAt: null });
      if (answer.status === 202) latest = answer.body.id;
      return answer;
    },
    async expire() {
      const expiresAt = Date.now() + EXPIRES_AFTER_MS;
      const more = { limit: CLOSED_LIMIT, expires_at: new Date(expiresAt).toISOString() };
      const answer = await submit(more, { event: 'job.failed', expiresAt });
      // A request that arrives after this time is rejected. It counts as slow.
      return answer.status === 400 ? { status: 202 } : answer;
    },
    read: () => person.get(latest ? `/jobs/${latest}` : '/org/limits'),
    list: () => person.get('/jobs?limit=20'),
    change: () => person.patch(`/schedules/${scheduleId}`, { every_seconds: 86_400 + (changes++ % 2) }),
    statistics: () => person.get('/stats/jobs'),
  };

  async function repeat(operation: Operation): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      const status = await requests[operation]().then(
        (answer) => answer.status,
        (error: Error) => error.message,
      );
      worstMs[operation] = Math.max(worstMs[operation], performance.now() - startedAt);
      if (status !== 200 && status !== 202) refused.push(`${operation}: ${status}`);
      await pause(EVERY_MS[operation]);
    }
  }

  // The casts: the keys are those of the record.
  await Promise.all((Object.keys(requests) as Operation[]).map(repeat));
  const events = await awaitEvents(receiver, jobs);
  const starts = await db.$queryRaw<{ ms: number; limited: boolean }[]>`
    SELECT extract(epoch FROM started_at - created_at)::float8 * 1000 AS ms, limit_name IS NOT NULL AS limited
    FROM jobs WHERE id = ANY (${[...jobs.values()].map(({ id }) => id)}) AND started_at IS NOT NULL`;
  const startsOf = (isLimited: boolean) =>
    ascending(starts.flatMap(({ ms, limited }) => (limited === isLimited ? [ms] : [])));
  return { worstMs, refused, startsMs: startsOf(false), limitedStartsMs: startsOf(true), ...events };
}

/** Waits until the event of each job has arrived. */
async function awaitEvents(
  receiver: Receiver,
  jobs: ReadonlyMap<string, OwnJob>,
): Promise<Pick<Seen, 'eventsMs' | 'lost'>> {
  const endsAt = performance.now() + LOST_AFTER_MS;
  for (;;) {
    const ranAt = new Map<string, number>();
    const arrivedAt = new Map<string, number>();
    for (const { path, text, at } of receiver.received) {
      if (path !== '/events') ranAt.set(path, at);
      else {
        const { type, data } = JSON.parse(text);
        arrivedAt.set(`${type} ${data.id}`, Math.min(at, arrivedAt.get(`${type} ${data.id}`) ?? at));
      }
    }
    const delays = [...jobs].flatMap(([path, { id, event, expiresAt }]) => {
      const [endedAt, at] = [expiresAt ?? ranAt.get(path), arrivedAt.get(`${event} ${id}`)];
      return endedAt === undefined || at === undefined ? [] : [Math.max(0, at - endedAt)];
    });
    const lost = jobs.size - delays.length;
    if (lost === 0 || performance.now() > endsAt) return { eventsMs: ascending(delays), lost };
    await pause(100);
  }
}

function webhookJob(receiver: Receiver, path: string) {
  return { type: 'webhook', payload: { url: byName(receiver.url) + path, payload: {} } };
}

/** Returns the same address with a name, which must be looked up. */
export function byName(address: string): string {
  return address.replace('127.0.0.1', 'localhost');
}

export function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

async function expectStatus<T extends { status: number; text: string }>(
  status: number,
  answer: Promise<T>,
): Promise<T> {
  const found = await answer;
  if (found.status !== status) throw new Error(`the victim got ${found.status} instead of ${status}: ${found.text}`);
  return found;
}
