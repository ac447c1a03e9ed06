import type { JobKey } from '@jobline/contracts';
import {
  type Db,
  deleteExpiredAudit,
  deleteExpiredInvites,
  deleteExpiredMessageEvents,
  deleteExpiredMessages,
  deleteExpiredResets,
  deleteExpiredSessions,
  deleteRetiredWebhookSecrets,
  dropLease,
  holdLease,
} from '@jobline/db';
import {
  type DeletedJob,
  deleteArtifactsOf,
  deleteExpiredIdempotencyKeys,
  deleteExpiredJobs,
  deleteLinesOf,
  forgetDeleted,
  listDeleted,
  listOld,
} from '@jobline/db/job-transitions';
import type { ArtifactStore } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from '../events.js';
import type { Lease } from '../worker/lease.js';
import { storePrefix } from '../worker/save-artifact.js';

export interface RetentionDeps {
  db: Db;
  /** Null: artifacts are kept in Postgres. */
  artifacts: ArtifactStore | null;
  events: EngineEvents;
  lease: Lease;
  /** Finished jobs are kept for so long. */
  days: number;
}

/** Deletes what nobody needs any more: old finished jobs with all that is theirs, and what has expired by itself. */
export interface Retention {
  /** A few short statements, by one worker at a time. Answers how long the next round is to be put off. */
  round(): Promise<number>;
  /** Lets another worker take over at once. */
  end(): Promise<void>;
}

const LEASE_NAME = 'retention';
/** Longer than a rest, so that it is the same worker that rests and goes on. */
const LEASE_TTL_MS = 15 * 60_000;
const ASK_AGAIN_MS = 60_000;
/** Between two walks through everything. */
const REST_MS = 10 * 60_000;
const MIN_PAUSE_MS = 100;
/** Of the time, a fifth at most is spent deleting. */
const PAUSE_FACTOR = 4;

/** What one statement may delete. An artifact is as much work as thousands of lines. */
const JOBS = 1_000;
const LINES = 5_000;
const ARTIFACTS = 10;
const IDEMPOTENCY_KEYS = 200;
const SESSIONS = 1_000;
const MESSAGES = 1_000;
const AUDIT_ENTRIES = 1_000;
const LINKS = 1_000;
const SECRETS = 1_000;

/**
 * Walks through the old jobs, oldest first, a page at a time. Each goes with its payment in one statement; then its log and
 * files, which are found again after an interruption because the database has a list of them. What has expired by itself
 * goes in every round, too, so that it does not wait until no old job is left.
 */
export function createRetention({ db, artifacts, events, lease, days }: RetentionDeps): Retention {
  let afterJob: JobKey | null = null;
  let afterMessage: string | null = null;

  /** Answers whether there may be more old jobs, or more that is left of them. */
  async function deleteJobs(): Promise<boolean> {
    if (await clearDeleted()) return true;
    const page = await listOld(db, { after: afterJob, limit: JOBS, days });
    const keys = page.filter(({ isExpired }) => isExpired).map(({ key }) => key);
    const count = keys.length > 0 ? await deleteExpiredJobs(db, keys, days) : 0;
    if (count > 0) events.emit('jobs.expired', { count });
    afterJob = page.length === JOBS ? (page.at(-1)?.key ?? null) : null;
    const isLeft = count > 0 && (await clearDeleted());
    return isLeft || afterJob !== null;
  }

  /** Deletes logs and files of deleted jobs. Answers whether there is more of that. */
  async function clearDeleted(): Promise<boolean> {
    const deleted = await listDeleted(db, JOBS);
    if (deleted.length === 0) return false;
    const keys = deleted.map(({ key }) => key);
    if ((await deleteLinesOf(db, keys, LINES)) === LINES) return true;
    if ((await deleteArtifactsOf(db, keys, ARTIFACTS)) === ARTIFACTS) return true;
    const left = new Set(await emptyStore(deleted));
    await forgetDeleted(
      db,
      keys.filter((key) => !left.has(key)),
    );
    return left.size > 0 || deleted.length === JOBS;
  }

  /**
   * Deletes what a few of the jobs have in the store, and answers with those that may have more there. What was put there
   * and never recorded goes too: all that is a job's is under its key. A store that was given up is left as it is.
   */
  async function emptyStore(deleted: readonly DeletedJob[]): Promise<JobKey[]> {
    if (!artifacts) return [];
    const stored = deleted.filter(({ hasFiles }) => hasFiles).map(({ key }) => key);
    await Promise.all(stored.slice(0, ARTIFACTS).map((key) => artifacts.deleteUnder(storePrefix(key))));
    return stored.slice(ARTIFACTS);
  }

  /** Answers whether there may be more. */
  async function deleteOthers(): Promise<boolean> {
    const full = [
      (await deleteExpiredIdempotencyKeys(db, { days, limit: IDEMPOTENCY_KEYS })) === IDEMPOTENCY_KEYS,
      (await deleteExpiredSessions(db, SESSIONS)) === SESSIONS,
      await deleteMessages(),
      (await deleteExpiredMessageEvents(db, { days, limit: MESSAGES })) === MESSAGES,
      (await deleteExpiredAudit(db, AUDIT_ENTRIES)) === AUDIT_ENTRIES,
      (await deleteExpiredInvites(db, LINKS)) === LINKS,
      (await deleteExpiredResets(db, LINKS)) === LINKS,
      (await deleteRetiredWebhookSecrets(db, SECRETS)) === SECRETS,
    ];
    return full.includes(true);
  }

  /** A page at a time, so that those that stay with their jobs are passed once in a walk. Answers whether there may be more. */
  async function deleteMessages(): Promise<boolean> {
    afterMessage = await deleteExpiredMessages(db, { after: afterMessage, days, limit: MESSAGES });
    return afterMessage !== null;
  }

  return {
    async round() {
      if (!(await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs: LEASE_TTL_MS }))) return ASK_AGAIN_MS;
      const startedAt = performance.now();
      const hasMoreOthers = await deleteOthers();
      const hasMore = (await deleteJobs()) || hasMoreOthers;
      return hasMore ? Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * elapsedMs(startedAt)) : REST_MS;
    },
    end: () => dropLease(db, { name: LEASE_NAME, holder: lease.id() }),
  };
}
