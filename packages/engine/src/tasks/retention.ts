import { EVENT_LIMITS, type JobKey, type OrgId } from '@jobline/contracts';
import {
  deleteExpired,
  deleteExpiredMessageEvents,
  deleteExpiredMessages,
  deleteOldBulks,
  deleteOldEvents,
  deleteOldReceivers,
  dropDeadBatches,
  listIndexedOrgs,
  takeExpiredFiles,
} from '@jobline/db';
import {
  deleteExpiredIdempotencyKeys,
  deleteExpiredJobs,
  deleteOldStatuses,
  listDeleted,
  listOld,
  listOldOf,
  listRetainingOrgs,
  type RetainingOrg,
} from '@jobline/db/job-transitions';
import { createClearDeleted, FilesKept } from '../changes/delete.js';
import { createClearFiles } from '../files/files.js';
import type { WorkOptions } from '../options.js';
import type { Lease } from '../start/lease.js';
import { createOrgPages, type LeasedTask, leasedTask } from './task.js';

export interface RetentionDeps extends Pick<WorkOptions, 'db' | 'artifacts' | 'events' | 'retentionDays'> {
  lease: Lease;
}

/** The rest between two passes over all data. */
const REST_MS = 10 * 60_000;

/** Maximum number of rows that one statement deletes. */
const JOBS = 1_000;
const IDEMPOTENCY_KEYS = 200;
const MESSAGES = 1_000;
const OTHERS = 1_000;
/** A file is as much work as thousands of other rows. */
const FILES = 20;
/** Organizations with a retention time of their own, of which one round deletes jobs, and those of whose index it deletes a part. */
const ORGS = 10;
/** Batches of the index of searches that one round examines for an organization. */
const BATCHES = 50;

/**
 * Deletes old data: finished jobs with everything that belongs to them, and data that has expired.
 *
 * Old jobs are deleted page by page, oldest first. One statement deletes a job with its payment, and then its log and
 * files are deleted. The database has a list of them, so an interrupted deletion continues later. Every round also
 * deletes expired data of other kinds, even while old jobs remain, and jobs that their organizations keep for less time.
 */
export function createRetention({ db, artifacts, events, lease, retentionDays: days }: RetentionDeps): LeasedTask {
  const clear = createClearDeleted({ db, artifacts });
  const clearFiles = createClearFiles({ db, artifacts });
  const deleteByOrg = createOrgPages({
    list: (after, limit) => listRetainingOrgs(db, { after, days, limit }),
    limit: ORGS,
    work: deleteOf,
  });
  /** The last batch that was examined of an organization with more. */
  const afterBatch = new Map<OrgId, number>();
  const dropWords = createOrgPages({
    list: (after, limit) => listIndexedOrgs(db, after, limit),
    limit: ORGS,
    async work({ orgId }) {
      const after = await dropDeadBatches(db, orgId, { after: afterBatch.get(orgId) ?? null, limit: BATCHES });
      if (after === null) afterBatch.delete(orgId);
      else afterBatch.set(orgId, after);
      return after !== null;
    },
  });
  let afterJob: JobKey | null = null;
  /** The last deleted job whose files the artifact store has kept in this pass. */
  let afterKept: JobKey | null = null;
  let afterMessage: string | null = null;
  /** The last file that this pass has deleted, or whose parts the artifact store has kept. */
  let afterFile: string | null = null;

  /**
   * Returns whether there may be more old jobs, or more data of deleted jobs. Old jobs are deleted even if the data of
   * deleted jobs cannot be deleted.
   */
  async function deleteJobs(): Promise<boolean> {
    const [cleared] = await Promise.allSettled([clearDeleted()]);
    if (cleared.status === 'fulfilled' && cleared.value) return true;
    const page = await listOld(db, { after: afterJob, limit: JOBS, days });
    const keys = page.filter(({ isExpired }) => isExpired).map(({ key }) => key);
    const count = await deleteOld(keys, days);
    afterJob = page.length === JOBS ? (page.at(-1)?.key ?? null) : null;
    const isLeft = count > 0 && (await clearDeleted());
    if (cleared.status === 'rejected') throw cleared.reason;
    return isLeft || afterJob !== null;
  }

  /**
   * Deletes logs and files of deleted jobs. Returns whether there are more. Jobs whose files cannot be deleted do not delay
   * those after them, and are tried again in the next pass.
   */
  async function clearDeleted(): Promise<boolean> {
    const deleted = await listDeleted(db, { after: afterKept, limit: JOBS });
    try {
      const hasMore = deleted.length > 0 && ((await clear(deleted)) || deleted.length === JOBS);
      if (!hasMore) afterKept = null;
      return hasMore;
    } catch (error) {
      if (error instanceof FilesKept) afterKept = error.key;
      throw error;
    }
  }

  /** Returns whether there may be more. */
  async function deleteOthers(): Promise<boolean> {
    const full = [
      (await deleteExpiredIdempotencyKeys(db, { days, limit: IDEMPOTENCY_KEYS })) === IDEMPOTENCY_KEYS,
      (await deleteOldStatuses(db, { days, limit: OTHERS })) === OTHERS,
      (await deleteOldBulks(db, { days, limit: OTHERS })) === OTHERS,
      (await deleteOldEvents(db, { days: EVENT_LIMITS.keptDays, limit: OTHERS })) === OTHERS,
      (await deleteOldReceivers(db, { days: EVENT_LIMITS.keptDays, limit: OTHERS })) === OTHERS,
      await deleteMessages(),
      (await deleteExpiredMessageEvents(db, { days, limit: MESSAGES })) === MESSAGES,
      (await deleteExpired(db, 'alerts', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'api_keys', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'audit_entries', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'erased_hashes', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'erasures', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'invites', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'password_resets', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'sessions', OTHERS)) === OTHERS,
      (await deleteExpired(db, 'webhook_secrets', OTHERS)) === OTHERS,
    ];
    return full.includes(true);
  }

  /**
   * Deletes one page at a time, so that messages that are kept with their jobs are read once per pass. Returns whether
   * there may be more.
   */
  async function deleteMessages(): Promise<boolean> {
    afterMessage = await deleteExpiredMessages(db, { after: afterMessage, days, limit: MESSAGES });
    return afterMessage !== null;
  }

  /** Returns whether there may be more. */
  async function deleteFiles(): Promise<boolean> {
    const expired = await takeExpiredFiles(db, { after: afterFile, limit: FILES });
    afterFile = expired.length === FILES ? (expired.at(-1)?.id ?? null) : null;
    await clearFiles(expired);
    return afterFile !== null;
  }

  async function deleteOf({ orgId, days }: RetainingOrg): Promise<boolean> {
    const keys = await listOldOf(db, { orgId, days }, JOBS);
    await deleteOld(keys, days);
    return keys.length === JOBS;
  }

  async function deleteOld(keys: readonly JobKey[], days: number): Promise<number> {
    const count = keys.length > 0 ? await deleteExpiredJobs(db, keys, days) : 0;
    if (count > 0) events.emit('jobs.expired', { count });
    return count;
  }

  return leasedTask({
    name: 'retention',
    db,
    lease,
    ttlMs: 15 * 60_000,
    askAgainMs: 60_000,
    async round() {
      const hasMoreOthers = [
        await deleteOthers(),
        await deleteFiles(),
        await deleteByOrg(),
        await dropWords(),
      ].includes(true);
      return (await deleteJobs()) || hasMoreOthers ? 'more' : REST_MS;
    },
  });
}
