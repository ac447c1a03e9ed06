import { Prisma } from '../../generated/client.js';

/**
 * SQL: how long the run of the job `j` has taken at `t.now`, in milliseconds; at most the highest value of an integer.
 */
export const RUN_MS = Prisma.sql`least(greatest(extract(epoch FROM t.now - j.started_at) * 1000, 0), 2147483647)::int`;
