import { NAME_PATTERN } from '@jobline/contracts';
import type { JobStatsRow } from '@jobline/db';
import Joi from 'joi';
import { count, timestamp, view } from './view.js';

type JobStatsView = ReturnType<typeof toJobStatsView>;

const byStatus = view<JobStatsView['by_status']>('JobsByStatus', {
  pending: count().description('The current number.'),
  processing: count().description('The current number.'),
  done: count().description('Jobs that got this status in the window.'),
  failed: count().description('Jobs that got this status in the window.'),
});

const step = view<JobStatsView['series'][number]>('JobStatsStep', {
  at: timestamp().description('The start of the step.'),
  done: count(),
  failed: count(),
});

export const jobStatsView = view<JobStatsView>('JobStats', {
  by_status: byStatus,
  by_type: Joi.object()
    .pattern(NAME_PATTERN, count())
    .description('The same jobs by type: the 50 most frequent types, in descending order.'),
  series: Joi.array()
    .items(step)
    .description('The window in equal steps without gaps, oldest first. The last step has not ended yet.'),
  oldest_pending_at: timestamp().allow(null).description('When the oldest of the pending jobs was accepted.'),
});

export function toJobStatsView(row: JobStatsRow) {
  return {
    by_status: { pending: 0, processing: 0, done: 0, failed: 0, ...row.byStatus },
    // A type may be named "__proto__", which this keeps and an assignment would not.
    by_type: Object.fromEntries(row.byType),
    series: row.series.map(({ at, done, failed }) => ({ at: at.toISOString(), done, failed })),
    oldest_pending_at: row.oldestPendingAt?.toISOString() ?? null,
  };
}
