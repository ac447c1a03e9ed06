import { Prisma } from '../../generated/client.js';

/** SQL of how long the run of the job `j` has taken at `t.now`, in milliseconds; at most what an integer holds. */
export const RUN_MS = Prisma.sql`least(greatest(extract(epoch FROM t.now - j.started_at) * 1000, 0), 2147483647)::int`;
