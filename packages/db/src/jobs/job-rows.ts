import type { JobErrorCode, JobStatus } from '@jobline/contracts';
import { type Job, Prisma } from '../generated/client.js';
import type { PageRequest } from '../postgres/page.js';

/** The columns of a job in lists. */
export interface JobRow
  extends Pick<Job, 'id' | 'type' | 'status' | 'retries' | 'maxRetries' | 'createdAt' | 'updatedAt'> {
  /** Null: none. */
  tags: string[] | null;
}

/** SQL: the columns of a JobRow, of the view `jobs`. */
export const JOB_COLUMNS = Prisma.sql`jobs.id, jobs.type, jobs.status, jobs.retries, jobs.max_retries AS "maxRetries",
  jobs.created_at AS "createdAt", jobs.updated_at AS "updatedAt", jobs.tags`;

/** SQL: whether the column has one of the types. */
export function isOneOf(column: Prisma.Sql, types: readonly string[]): Prisma.Sql {
  const [type] = types;
  // Without a list, rows that are found by an index keep their order.
  return types.length === 1 ? Prisma.sql`${column} = ${type}` : Prisma.sql`${column} = ANY (${types}::text[])`;
}

export interface JobFilter extends PageRequest {
  /** Empty: all statuses. */
  statuses: readonly JobStatus[];
  /** The jobs have one of them; null: any type. */
  types?: readonly string[] | null | undefined;
  /** The jobs have all of them. */
  tags?: readonly string[] | undefined;
  limitKey?: string | undefined;
  /** The jobs failed with it. */
  errorCode?: JobErrorCode | undefined;
  /** The schedule that made the jobs. */
  scheduleId?: string | undefined;
  /** Inclusive. */
  createdAfter?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
}
