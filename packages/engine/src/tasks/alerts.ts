import { ALERT_KINDS, ALERT_LIMITS, type AlertKind, assertNever, type OrgId } from '@jobline/contracts';
import {
  type AlertedOrg,
  type AlertPost,
  countFinished,
  type Db,
  type DbSession,
  type FinishedCounts,
  listAlertedOrgs,
  type Measured,
  raiseAlert,
  readEnqueuedMs,
  readWaitingMs,
  resolveAlert,
  type TestAlert,
  withTimeLimit,
  writeTestAlert,
} from '@jobline/db';
import { insertJobsIn } from '@jobline/db/job-transitions';
import { teamChatNotify } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import type { EngineEvents } from '../reporting/events.js';
import { newJobKey } from '../submit/submission.js';
import { deliveryOrgs } from './deliver.js';
import { afterPage, type LeasedTask, leasedTask } from './task.js';

interface AlertDeps {
  db: Db;
  events: EngineEvents;
  /** The base of links to the dashboard. */
  publicUrl: string;
}

/** Time between two checks. If the holder of the lease dies, another process continues after at most two of these. */
const EVERY_MS = 15_000;
/** The part of that time for which the lease is held: it has expired when the holder, or another process, checks next. */
const LEASE_PART = 0.9;
/** The lease is renewed after this part of its time. */
const RENEW_PART = 1 / 3;
/** Organizations that one call checks. */
const PAGE = 100;
const STATEMENT_LIMIT_MS = 3_000;
/** Of a post to a team chat. */
const POST_RETRIES = 5;

/**
 * Raises and resolves alerts of the organizations that have chosen them, in one process at a time. `everyMs`: only tests
 * change it.
 */
export function createCheckAlerts(deps: AlertDeps, { everyMs = EVERY_MS } = {}): LeasedTask {
  const id = newId();
  const ttlMs = everyMs * LEASE_PART;
  /** The last organization of the previous round; null: a new pass begins. */
  let after: OrgId | null = null;
  return leasedTask({
    name: 'alerts',
    db: deps.db,
    lease: { id: () => id },
    ttlMs,
    renewAfterMs: ttlMs * RENEW_PART,
    askAgainMs: everyMs,
    failedMs: everyMs,
    async round(hold) {
      after = await checkAlerts(deps, after, hold);
      return after === null ? everyMs : 0;
    },
    onLost() {
      after = null;
    },
  });
}

/**
 * Checks the next organizations after this one, one after the other, so that requests have connections. A check that fails does
 * not stop the others. Returns the last of them; null: no other follows, or the lease is lost.
 */
export async function checkAlerts(
  deps: AlertDeps,
  after: OrgId | null,
  hold: () => Promise<boolean> = async () => true,
): Promise<OrgId | null> {
  const { db, events } = deps;
  const orgs = await listAlertedOrgs(db, after, PAGE);
  if (orgs.length === 0) return null;
  const failed = (error: unknown) => void events.emit('step.failed', { step: 'alerts', error });
  const waiting = orgs.filter((org) => isWanted(org, 'oldest_waiting'));
  const enqueuedMs = await withTimeLimit(db, STATEMENT_LIMIT_MS, (tx) => readEnqueuedMs(tx, waiting)).catch(failed);
  for (const org of orgs) {
    for (const kind of ALERT_KINDS) {
      // Without the jobs in Redis, the longest wait is not known.
      if (!isWanted(org, kind) || (kind === 'oldest_waiting' && !enqueuedMs)) continue;
      if (!(await hold())) return null;
      await checkKind(deps, org, kind, enqueuedMs?.get(org.orgId) ?? 0).catch(failed);
    }
  }
  return afterPage(orgs, PAGE);
}

/** Whether a kind must be checked: it was chosen, or an alert of it may be over. */
function isWanted({ thresholds, unresolved }: AlertedOrg, kind: AlertKind): boolean {
  return thresholds[kind] !== null || unresolved.includes(kind);
}

async function checkKind(deps: AlertDeps, org: AlertedOrg, kind: AlertKind, enqueuedMs: number): Promise<void> {
  const { db } = deps;
  const { orgId, types } = org;
  const threshold = org.thresholds[kind];
  const value = await withTimeLimit(db, STATEMENT_LIMIT_MS, async (tx) =>
    kind === 'failure_rate'
      ? failureRateOf(await countFinished(tx, orgId, types), org.minJobs)
      : Math.ceil(Math.max(enqueuedMs, await readWaitingMs(tx, orgId, types)) / 1_000),
  );
  const isExceeded = threshold !== null && value > threshold;
  const isRaised = org.unresolved.includes(kind);
  if (isExceeded && !isRaised) await raise(deps, { orgId, kind, value }, threshold);
  if (!isExceeded && isRaised) await resolveAlert(db, { orgId, kind, value });
}

/** Raises an alert, and stores the job that posts it. */
async function raise({ db, publicUrl }: AlertDeps, measured: Measured, threshold: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const { orgId } = measured;
    const post = await raiseAlert(tx, measured, threshold);
    if (!post) return;
    const { what, threshold: exceeded, status } = describeAlert({ ...measured, threshold });
    const text = `Jobline alert of ${post.orgName}: ${what}. The threshold is ${exceeded}.
${publicUrl}/?org=${orgId}&status=${status}`;
    await storePost(tx, orgId, post.channel, text);
  });
}

/** Where a test alert is sent, apart from emails. */
interface AlertTest {
  /** Whether webhooks get its event. */
  event: boolean;
  /** Null: it is not posted. */
  post: AlertPost | null;
}

/** Writes the event of a test alert, and stores the job that posts it. */
export async function sendTestAlert(
  { db, publicUrl }: Pick<AlertDeps, 'db' | 'publicUrl'>,
  orgId: OrgId,
  alert: TestAlert,
  { event, post }: AlertTest,
): Promise<void> {
  await db.$transaction(async (tx) => {
    if (event) await writeTestAlert(tx, orgId, alert);
    if (!post) return;
    const text = `Test of the Jobline alerts of ${post.orgName}. Nothing has happened: alerts are posted here.
${publicUrl}/settings?org=${orgId}`;
    await storePost(tx, orgId, post.channel, text);
  });
}

/** The job belongs to the organization of the deliveries, so that it is none of the organization's jobs. */
async function storePost(tx: DbSession, orgId: OrgId, channel: string, text: string): Promise<void> {
  const sender = (await deliveryOrgs(tx, [orgId])).get(orgId);
  // The organization was deleted meanwhile.
  if (!sender) return;
  const key = newJobKey();
  const { type, queue } = teamChatNotify;
  const payload = JSON.stringify({ channel, text });
  const job = { key, orgId: sender, id: key, type, queue, payload, contentHash: null, priority: 0 };
  // The dispatcher adds it to its queue.
  await insertJobsIn(tx, [{ ...job, maxRetries: POST_RETRIES, runAt: null, traceparent: null, hasCapacity: false }]);
}

/** An alert in words: what has happened, the threshold, and the status of the jobs that it is about. */
export function describeAlert({ kind, value, threshold }: Pick<Measured, 'kind' | 'value'> & { threshold: number }): {
  what: string;
  threshold: string;
  status: string;
} {
  switch (kind) {
    case 'failure_rate':
      return {
        what: `${value} % of your jobs failed in the last ${ALERT_LIMITS.windowMinutes} minutes`,
        threshold: `${threshold} %`,
        status: 'failed',
      };
    case 'oldest_waiting':
      return {
        what: `a job has been waiting for ${value} seconds`,
        threshold: `${threshold} seconds`,
        status: 'pending',
      };
    default:
      return assertNever(kind);
  }
}

/** The percentage of failed jobs, rounded up to tenths, so that it exceeds a threshold if and only if the exact one does. */
function failureRateOf({ finished, failed }: FinishedCounts, minJobs: number): number {
  return finished < minJobs ? 0 : Math.ceil((failed * 1_000) / finished) / 10;
}
