import {
  FAILURE_SERIES_LENGTH,
  JOB_ERROR_CODES,
  NAME_PATTERN,
  STATS_WINDOWS,
  type StatsWindow,
} from '@jobline/contracts';
import type { DeliveryStats, FailureGroup, JobStatsRow, JobTimes } from '@jobline/db';
import Joi from 'joi';
import { forbidden } from '../auth/authorize.js';
import { defineEndpoint } from '../endpoint.js';
import { uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { count, mapTo, text, timestamp, type ViewOf, view } from '../http/view.js';
import { endedFields } from './ended-fields.js';
import { stepsOf } from './stats-cache.js';

function windowQuery(description: string) {
  return Joi.object<{ window: StatsWindow }>({
    window: Joi.valid(...STATS_WINDOWS)
      .default('24h')
      .description(description),
  });
}

type JobStatsView = ReturnType<typeof toJobStatsView>;

const byStatus = view<JobStatsView['by_status']>('JobsByStatus', {
  pending: count().description('The current number.'),
  processing: count().description('The current number.'),
  done: count().description('Jobs that got this status in the window.'),
  failed: count().description('Jobs that got this status in the window.'),
});

const step = view<JobStatsView['series'][number]>('JobStatsStep', {
  at: timestamp().description('The start of the step.'),
  done: count().description('Jobs that became done.'),
  failed: count().description('Attempts that failed, whatever became of their jobs.'),
});

const percentiles = view<NonNullable<JobStatsView['ran']>>('JobTimes', {
  p50_ms: count().description('The median.'),
  p95_ms: count().description('The 95th percentile.'),
}).description(
  '`waited`: from when the latest attempt was due until it started. `ran`: how long it took. Of the 1,000 jobs of the window that ' +
    'finished last. For an API key that is restricted to job types: of an equal number of each type, those that were accepted last.',
);

const jobStatsView = view<JobStatsView>('JobStats', {
  by_status: byStatus,
  by_type: Joi.object()
    .pattern(NAME_PATTERN, count())
    .description('The same jobs by type: the 50 most frequent types, in descending order.'),
  series: Joi.array()
    .items(step)
    .description('The window in equal steps without gaps, oldest first. The last step has not ended yet.'),
  oldest_pending_at: timestamp().allow(null).description('When the oldest of the pending jobs was accepted.'),
  oldest_due_at: timestamp()
    .allow(null)
    .description(
      'Since when the job that waits longest could start, of the 1,000 pending jobs that were accepted first. Null: each is ' +
        'scheduled, waits for its next attempt or waits for another job.',
    ),
  waited: percentiles.allow(null),
  ran: percentiles.allow(null),
});

function toJobStatsView(row: JobStatsRow & JobTimes) {
  const toPercentiles = (times: JobTimes['ranMs']) => times && { p50_ms: times[0], p95_ms: times[1] };
  return {
    by_status: { pending: 0, processing: 0, done: 0, failed: 0, ...row.byStatus },
    // A type may be named "__proto__", which this keeps and an assignment would not.
    by_type: Object.fromEntries(row.byType),
    series: row.series.map(({ at, done, failed }) => ({ at: at.toISOString(), done, failed })),
    oldest_pending_at: row.oldestPendingAt?.toISOString() ?? null,
    oldest_due_at: row.oldestDueAt?.toISOString() ?? null,
    waited: toPercentiles(row.waitedMs),
    ran: toPercentiles(row.ranMs),
  };
}

/** The numbers of an overview: jobs by status, and jobs that finished recently. */
export const readJobStats = defineEndpoint({
  method: 'get',
  path: '/stats/jobs',
  summary: 'Count jobs',
  auth: 'stats:read',
  needs: ['jobStats'],
  query: windowQuery('The time window for finished jobs. Its steps are 1 minute, 30 minutes or 3 hours long.'),
  responses: {
    200: json(
      'Jobs that are pending or processing now, and jobs that became done or failed in the window.',
      jobStatsView,
    ),
  },
  async handle({ deps, principal, query }) {
    const stats = await deps.jobStats.read(principal.orgId, query.window, principal.types);
    return { status: 200, body: toJobStatsView(stats) };
  },
});

const failureGroupView = view<ViewOf<FailureGroup>>('FailureGroup', {
  type: Joi.string().pattern(NAME_PATTERN),
  error_code: Joi.valid(...Object.keys(JOB_ERROR_CODES)),
  message: text().description('With placeholders instead of numbers, ids and addresses.'),
  count: count(),
  first_at: timestamp().description('When the first of these jobs failed.'),
  last_at: timestamp(),
  series: Joi.array()
    .items(count())
    .length(FAILURE_SERIES_LENGTH)
    .description('How many of these jobs finished in each part of the time window, the oldest part first.'),
  example_ids: Joi.array().items(Joi.string().pattern(NAME_PATTERN)).max(3).description('The latest of these jobs.'),
});

const toFailureGroupView = mapTo(failureGroupView);

const failureQuery = Joi.object<{ window?: StatsWindow; ended_after?: Date; ended_before?: Date; message?: string }>({
  window: Joi.valid(...STATS_WINDOWS).description(
    'Counts jobs that finished in this time window. Absent: 24h, or all times if `ended_after` or `ended_before` is given.',
  ),
  ...endedFields,
});

/** Why jobs failed: groups of failed jobs, the largest first. */
export const readFailures = defineEndpoint({
  method: 'get',
  path: '/stats/failures',
  summary: 'Group failed jobs by their reason',
  auth: 'stats:read',
  needs: ['failureStats'],
  query: failureQuery,
  responses: {
    200: json(
      'At most 100 groups of jobs that are failed now, canceled ones included.',
      Joi.array().items(failureGroupView),
    ),
  },
  async handle({ deps, principal, query }) {
    const { window, message, ended_after: endedAfter, ended_before: endedBefore } = query;
    const shown = window ?? (endedAfter || endedBefore ? null : '24h');
    const { steps, stepMs } = shown ? stepsOf(shown) : { steps: 0, stepMs: 0 };
    const range = { windowMs: shown && steps * stepMs, endedAfter, endedBefore, message };
    const groups = await deps.failureStats.read(principal.orgId, range, principal.types);
    return { status: 200, body: groups.map(toFailureGroupView) };
  },
});

type WebhookStatsView = ReturnType<typeof toWebhookStatsView>;

const counts = { pending: count(), delivered: count(), failed: count() };

const webhookStatsView = view<WebhookStatsView>('WebhookStats', {
  webhook_id: uuid(),
  ...counts,
  series: Joi.array()
    .items(
      view<WebhookStatsView['series'][number]>('WebhookStatsStep', {
        at: timestamp().description('The start of the step.'),
        ...counts,
      }),
    )
    .description('The window in equal steps without gaps, oldest first. The last step has not ended yet.'),
});

function toWebhookStatsView({ webhookId, series }: DeliveryStats) {
  const sum = (status: 'pending' | 'delivered' | 'failed') => series.reduce((total, step) => total + step[status], 0);
  return {
    webhook_id: webhookId,
    pending: sum('pending'),
    delivered: sum('delivered'),
    failed: sum('failed'),
    series: series.map(({ at, ...step }) => ({ ...step, at: at.toISOString() })),
  };
}

/** Whether the webhooks of the organization get their events. */
export const readWebhookStats = defineEndpoint({
  method: 'get',
  path: '/stats/webhooks',
  summary: 'Count the deliveries to webhooks',
  auth: 'stats:read',
  needs: ['webhookStats'],
  query: windowQuery('Counts deliveries that were created in this time window.'),
  responses: { 200: json('The webhooks, newest first.', Joi.array().items(webhookStatsView)) },
  async handle({ deps, principal, query }) {
    if (principal.types !== null)
      throw forbidden('Deliveries are not counted by job type, and this API key is restricted to some job types.');
    const stats = await deps.webhookStats.read(principal.orgId, query.window);
    return { status: 200, body: stats.map(toWebhookStatsView) };
  },
});
