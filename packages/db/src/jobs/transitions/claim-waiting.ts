import type { JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../../generated/client.js';
import { retryDeadlocks } from '../../postgres/errors.js';
import type { HotDb } from '../../postgres/hot.js';
import { FIRST_ID } from '../../postgres/page.js';
import { CLAIM_COLUMNS, type Claim, type Claimer, claimStatement, SUBMITTED } from './claim.js';
import { isForOther } from './reach.js';

/** A position among the waiting jobs of an organization, which are ordered by priority and then age. */
export interface Position {
  priority: number;
  runAt: Date;
  key: JobKey;
}

/** Asks for the next `count` waiting jobs of an organization: those after a position, or the first ones (null). */
export interface WaitingRequest {
  orgId: OrgId;
  after: Position | null;
  count: number;
}

export interface ClaimedWaiting {
  /** False: this worker was declared dead, and has claimed nothing. */
  isAlive: boolean;
  claims: Claim[];
  /** Jobs that were read and may not start now, for example because they are under a limit. */
  refused: JobKey[];
  /** How far the jobs of each organization were read. Absent: there was none after its position. */
  positions: ReadonlyMap<OrgId, Position>;
}

/** The highest number of rows of one organization that a claim reads: those that it leaves to other workers are passed. */
const MAX_READ = 10_000;
/** Before every other position. */
const HEAD = { priority: 10, runAt: '-infinity', key: FIRST_ID };

interface Row extends Omit<Claim, 'key'>, Omit<Position, 'key'> {
  /** Null: the job was not claimed, and the other columns of a claim are null too. */
  key: JobKey | null;
  isAlive: boolean;
  turn: number | null;
  waitingKey: JobKey;
}

/**
 * Like claimJobs, for the next waiting jobs of a queue: `tokens` are as many as the requests ask for together. Passes jobs that another
 * transaction has locked, so two workers claim different jobs and do not wait for each other. A job that may not start now, for
 * example because it has expired, uses up a part of its request.
 */
export async function claimWaiting(
  hot: HotDb,
  worker: Claimer,
  { queue, requests, tokens }: { queue: string; requests: readonly WaitingRequest[]; tokens: readonly string[] },
): Promise<ClaimedWaiting> {
  const column = <K extends keyof Position>(name: K) => requests.map(({ after }) => (after ?? HEAD)[name]);
  const waiting = Prisma.sql`FROM live_jobs
           WHERE status = 'pending' AND place = 'waiting' AND queue = ${queue} AND org_id = o.org_id`;
  const order = Prisma.sql`ORDER BY queue, org_id, priority DESC, run_at, key LIMIT ${Prisma.raw(`${MAX_READ}`)}`;
  const source = Prisma.sql`
    SELECT w.*, (${tokens}::uuid[])[row_number() OVER (ORDER BY w.turn, w.nth)] AS token
    FROM (
      SELECT n.*, o.turn
      FROM unnest(${requests.map(({ orgId }) => orgId)}::uuid[], ${column('priority')}::int[],
          ${column('runAt').map((at) => (at instanceof Date ? at.toISOString() : at))}::timestamptz[], ${column('key')}::uuid[],
          ${requests.map(({ count }) => count)}::int[])
        WITH ORDINALITY AS o(org_id, priority, run_at, key, count, turn), LATERAL (
        SELECT r.key, r.priority, r.run_at, r.nth
        FROM (
          SELECT u.*, row_number() OVER () AS nth
          FROM (
            -- The second is read only after the first is exhausted: neither reads the rows before the position.
            (SELECT key, type, priority, run_at ${waiting} AND priority = o.priority AND (run_at, key) > (o.run_at, o.key) ${order})
            UNION ALL
            (SELECT key, type, priority, run_at ${waiting} AND priority < o.priority ${order})) AS u
          LIMIT ${Prisma.raw(`${MAX_READ}`)}) AS r, LATERAL (
          SELECT 1 FROM live_jobs j WHERE key = r.key AND status::text = 'pending' AND place::text = 'waiting'
            AND (r.nth = ${Prisma.raw(`${MAX_READ}`)} OR NOT ${isForOther(worker)})
          FOR UPDATE OF j SKIP LOCKED) AS locked
        -- The last row that was read only marks the position.
        WHERE array_position(${worker.types}::text[], r.type) IS NOT NULL OR r.nth = ${Prisma.raw(`${MAX_READ}`)}
        LIMIT o.count) AS n) AS w`;
  const rows = await retryDeadlocks(
    () => hot.query<Row>`${claimStatement(worker, source)}
      SELECT t.alive AS "isAlive", d.turn::int AS turn, d.priority, d.run_at AS "runAt", d.key AS "waitingKey", ${CLAIM_COLUMNS},
        c.crash_count AS "crashCount"
      FROM t LEFT JOIN d ON true LEFT JOIN c ON c.token = d.token ${SUBMITTED}
      ORDER BY d.turn, d.nth`,
  );
  const positions = new Map<OrgId, Position>();
  for (const { turn, priority, runAt, waitingKey } of rows) {
    const request = turn === null ? undefined : requests[turn - 1];
    if (request) positions.set(request.orgId, { priority, runAt, key: waitingKey });
  }
  const claims = rows.filter((row): row is Row & Claim => row.key !== null);
  const refused = rows.flatMap(({ key, turn, waitingKey }) => (key === null && turn !== null ? [waitingKey] : []));
  return { isAlive: rows.every(({ isAlive }) => isAlive), claims, refused, positions };
}
