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

export interface JobFilter extends PageRequest {
  /** Empty: all statuses. */
  statuses: readonly JobStatus[];
  type?: string | undefined;
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
