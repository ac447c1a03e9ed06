import type { OrgId } from '@jobline/contracts';
import { type Db, dropLease, holdLease, redactPayload } from '@jobline/db';
import {
  listDueForRedaction,
  listRedactingOrgs,
  type RedactingOrg,
  redactJobs,
  saveRedactedUntil,
} from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import type { EngineEvents } from '../reporting/events.js';
import type { Lease } from '../start/lease.js';
import type { Task } from './task.js';

export interface RedactionDeps {
  db: Db;
  events: EngineEvents;
  lease: Lease;
}

const LEASE_NAME = 'redaction';
/** Longer than a rest and a round, so that the same worker continues after them. */
const LEASE_TTL_MS = 5 * 60_000;
const ASK_AGAIN_MS = 60_000;
/** The rest between two passes over all organizations. */
const REST_MS = 60_000;
const MIN_PAUSE_MS = 100;
/** Redaction uses at most a fifth of the time. */
const PAUSE_FACTOR = 4;
/**
 * Values are deleted within an hour, and this long after the end of a job at the earliest: much longer than any transaction takes to
 * commit the end of a job.
 */
const LAG_MS = 10 * 60_000;

/** Organizations of one round. */
const ORGS = 10;
/** Jobs of an organization that one round examines, the bytes of payloads that it searches, and those that it reads. */
const PAGE = { lagMs: LAG_MS, limit: 500, searchedBytes: 4 * 1024 ** 2, bytes: 1024 ** 2 };

/**
 * Deletes the values of redacted keys from the database. Every read of a payload hides them from the moment at which they are
 * redacted; this task follows. Each organization has a position in its finished jobs, in the order in which they finished.
 */
export function createRedaction({ db, events, lease }: RedactionDeps): Task {
  /** The last organization of the previous round; null: a new pass over all of them begins. */
  let after: OrgId | null = null;
  /** Whether an organization has more than this pass has examined. */
  let isBehind = false;

  /** An organization whose jobs cannot be redacted does not stop the others. */
  async function redactNext(org: RedactingOrg): Promise<void> {
    try {
      isBehind = (await redactPage(db, org)) || isBehind;
    } catch (error) {
      events.emit('step.failed', { step: 'redact', error });
    }
  }

  return {
    async round() {
      if (!(await holdLease(db, { name: LEASE_NAME, holder: lease.id(), ttlMs: LEASE_TTL_MS }))) return ASK_AGAIN_MS;
      const startedAt = performance.now();
      const orgs = await listRedactingOrgs(db, after, ORGS);
      for (const org of orgs) await redactNext(org);
      const isEnd = orgs.length < ORGS;
      const rests = isEnd && !isBehind;
      after = isEnd ? null : (orgs.at(-1)?.orgId ?? null);
      if (isEnd) isBehind = false;
      return rests ? REST_MS : Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * elapsedMs(startedAt));
    },
    end: () => dropLease(db, { name: LEASE_NAME, holder: lease.id() }),
  };
}

/** Redacts the next jobs of an organization. Returns whether more may be due. */
async function redactPage(db: Db, org: RedactingOrg): Promise<boolean> {
  const { jobs, hasMore } = await listDueForRedaction(db, org, PAGE);
  const last = jobs.at(-1);
  if (!last) return false;
  const redacted = jobs.flatMap(({ payload, ...job }) =>
    payload === null ? [] : [{ ...job, payload: JSON.stringify(redactPayload(payload, org.keys).payload) }],
  );
  if (redacted.length > 0) await redactJobs(db, org.keys, redacted);
  await saveRedactedUntil(db, org, last);
  return hasMore;
}
