import { type Db, forgetEntries, redactPayload } from '@jobline/db';
import {
  listDueForRedaction,
  listRedactingOrgs,
  type RedactingOrg,
  redactJobs,
  saveRedactedUntil,
} from '@jobline/db/job-transitions';
import type { EngineEvents } from '../reporting/events.js';
import type { Lease } from '../start/lease.js';
import { createOrgPages, type LeasedTask, leasedTask } from './task.js';

/** The rest between two passes over all organizations. */
const REST_MS = 60_000;
/**
 * Values are deleted within an hour, and this long after the end of a job at the earliest: much longer than any transaction takes to
 * commit the end of a job.
 */
const LAG_MS = 10 * 60_000;

/** Time limits of the transaction that changes the index of searches: for its wait for a connection, and for its duration. */
const LIMITS = { maxWait: 5_000, timeout: 15_000 };
/** Organizations of one round. */
const ORGS = 10;
/** Jobs of an organization that one round examines, the bytes of payloads that it searches, and those that it reads. */
const PAGE = { lagMs: LAG_MS, limit: 500, searchedBytes: 4 * 1024 ** 2, bytes: 1024 ** 2 };

/**
 * Deletes the values of redacted keys from the database. Every read of a payload hides them from the moment at which they are
 * redacted; this task follows, also in the index of searches, which gets what is left of these jobs again. Each organization has a position in its finished jobs, in the order in which they finished.
 */
export function createRedaction({ db, events, lease }: { db: Db; events: EngineEvents; lease: Lease }): LeasedTask {
  const redactNext = createOrgPages({
    list: (after, limit) => listRedactingOrgs(db, after, limit),
    limit: ORGS,
    // An organization whose jobs cannot be redacted does not stop the others.
    work: (org) =>
      redactPage(db, org).catch((error: unknown) => {
        events.emit('step.failed', { step: 'redact', error });
        return false;
      }),
  });
  return leasedTask({
    name: 'redaction',
    db,
    lease,
    ttlMs: 5 * 60_000,
    askAgainMs: 60_000,
    round: async () => ((await redactNext()) ? 'more' : REST_MS),
  });
}

/** Redacts the next jobs of an organization. Returns whether more may be due. */
async function redactPage(db: Db, org: RedactingOrg): Promise<boolean> {
  const { jobs, hasMore } = await listDueForRedaction(db, org, PAGE);
  const last = jobs.at(-1);
  if (!last) return false;
  const redacted = jobs.flatMap(({ payload, ...job }) =>
    payload === null ? [] : [{ ...job, payload: JSON.stringify(redactPayload(payload, org.keys).payload) }],
  );
  if (redacted.length > 0) {
    await redactJobs(db, org.keys, redacted);
    const keys = redacted.map(({ key }) => key);
    await db.$transaction((tx) => forgetEntries(tx, org.orgId, keys), LIMITS);
  }
  await saveRedactedUntil(db, org, last);
  return hasMore;
}
