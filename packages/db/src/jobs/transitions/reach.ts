import { Prisma } from '../../generated/client.js';
import { takesJobs } from '../workers.js';

/** SQL: the queue of a live worker `w` that handles the type of job `j`, its own queue if possible. `also`: a further condition. */
export function reachOf(leaseMs: number, also = Prisma.sql`true`): Prisma.Sql {
  return Prisma.sql`(
          SELECT CASE WHEN bool_or(j.queue = ANY(w.queues)) THEN j.queue
            ELSE max(w.type_queues[array_position(w.types, j.type)]) END
          FROM workers w
          WHERE j.type = ANY(w.types) AND ${takesJobs(leaseMs)} AND ${also})`;
}

/** SQL: identifies the schema by which a worker checks the payload of job `j`. All workers that publish none have the same. */
export function schemaOf(workerId: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`coalesce((SELECT schema_hash FROM worker_types WHERE worker_id = ${workerId} AND type = j.type), '')`;
}

/** SQL: whether the schema of worker `w` has not refused the payload of job `j`. */
export const HAS_NOT_REFUSED = Prisma.sql`${schemaOf(Prisma.sql`w.id`)} <> ALL (j.refused_by)`;

/**
 * SQL: whether this worker's schema has refused the payload of job `j`, and a live worker of its queue may accept it. Then it is
 * for that one, as if this worker had no handler.
 */
export function isForOther({ id, leaseMs }: { id: string; leaseMs: number }): Prisma.Sql {
  return Prisma.sql`(j.refused_by IS NOT NULL AND ${schemaOf(Prisma.sql`${id}::uuid`)} = ANY (j.refused_by)
            AND EXISTS (SELECT 1 FROM workers w
              WHERE j.type = ANY(w.types) AND j.queue = ANY(w.queues) AND ${takesJobs(leaseMs)} AND ${HAS_NOT_REFUSED}))`;
}

/** SQL: how long ago, at time `t.now`, a worker last handled the type of job `j`. */
export const UNSEEN_MS = Prisma.sql`(
          SELECT extract(epoch FROM t.now - k.last_seen_at) * 1000 FROM job_types k WHERE k.type = j.type)::float8`;
