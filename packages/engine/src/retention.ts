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
  deleteExpiredArtifacts,
  deleteExpiredIdempotencyKeys,
  deleteExpiredJobs,
  deleteExpiredLines,
  deleteExpiredPayments,
  listExpiredStored,
  listOld,
} from '@jobline/db/job-transitions';
import type { ArtifactStore } from '@jobline/handlers';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from './events.js';
import type { Lease } from './lease.js';
import { storePrefix } from './save-artifact.js';

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
 * Walks through the old jobs, oldest first, a page at a time. What is theirs goes before them: whatever is
 * interrupted is found again. A round that has more to delete than it may leaves the rest of its page to the next.
 */
export function createRetention({ db, artifacts, events, lease, days }: RetentionDeps): Retention {
  let cursor: JobKey | null = null;

  /** Answers whether there may be more old jobs. */
  async function deletePage(): Promise<boolean> {
    const page = await listOld(db, { after: cursor, limit: JOBS, days });
    const keys = page.filter(({ isExpired }) => isExpired).map(({ key }) => key);
    if (keys.length > 0) {
      if ((await deleteExpiredLines(db, keys, { days, limit: LINES })) === LINES) return true;
      const emptied = await emptyStore(keys);
      if ((await deleteExpiredArtifacts(db, keys, { days, limit: ARTIFACTS, emptied })) === ARTIFACTS) return true;
      await deleteExpiredPayments(db, keys, days);
      // Of a full answer more may follow: the others of the page stay until nothing of theirs is in the store.
      const isLast = !artifacts || emptied.length < ARTIFACTS;
      const count = await deleteExpiredJobs(db, isLast ? keys : emptied, days);
      if (count > 0) events.emit('jobs.expired', { count });
      if (!isLast) return true;
    }
    cursor = page.length === JOBS ? (page.at(-1)?.key ?? null) : null;
    return cursor !== null;
  }

  /**
   * Answers with jobs of which nothing is in the store any more. What was put there and never recorded goes too: all
   * that is a job's is under its key. A store that was given up is left as it is.
   */
  async function emptyStore(keys: readonly JobKey[]): Promise<readonly JobKey[]> {
    if (!artifacts) return keys;
    const stored = await listExpiredStored(db, keys, { days, limit: ARTIFACTS });
    await Promise.all(stored.map((key) => artifacts.deleteUnder(storePrefix(key))));
    return stored;
  }

  /** Answers whether there may be more. */
  async function deleteOthers(): Promise<boolean> {
    const full = [
      (await deleteExpiredIdempotencyKeys(db, IDEMPOTENCY_KEYS)) === IDEMPOTENCY_KEYS,
      (await deleteExpiredSessions(db, SESSIONS)) === SESSIONS,
      (await deleteExpiredMessages(db, { days, limit: MESSAGES })) === MESSAGES,
      (await deleteExpiredMessageEvents(db, { days, limit: MESSAGES })) === MESSAGES,
      (await deleteExpiredAudit(db, AUDIT_ENTRIES)) === AUDIT_ENTRIES,
      (await deleteExpiredInvites(db, LINKS)) === LINKS,
      (await deleteExpiredResets(db, LINKS)) === LINKS,
      (await deleteRetiredWebhookSecrets(db, SECRETS)) === SECRETS,
    ];
    return full.includes(true);
  }

  return {
    async round() {
      if (!(await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs: LEASE_TTL_MS }))) return ASK_AGAIN_MS;
      const startedAt = performance.now();
      const hasMore = (await deletePage()) || (await deleteOthers());
      return hasMore ? Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * elapsedMs(startedAt)) : REST_MS;
    },
    end: () => dropLease(db, { name: LEASE_NAME, holder: lease.id() }),
  };
}
