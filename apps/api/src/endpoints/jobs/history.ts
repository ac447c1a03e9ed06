import {
  ATTEMPT_OUTCOMES,
  type DetailedLogEntryView,
  hasRight,
  JOB_STATUSES,
  LIMITS,
  type LogEntryView,
  NAME_PATTERN,
  type Role,
} from '@jobline/contracts';
import {
  type AttemptRow,
  findResult,
  listAttempts as listAttemptRows,
  listLogs as listLogRows,
  type ResultRow,
} from '@jobline/db';
import Joi from 'joi';
import type { AppSettings } from '../../config.js';
import { defineEndpoint } from '../../endpoint.js';
import { notFound, unauthenticated } from '../../http/errors.js';
import { encodeSequenceCursor, limit, nextPageHeaders, sequenceCursor } from '../../http/paging.js';
import { json, page } from '../../http/response-specs.js';
import { count, text, timestamp, view } from '../../http/view.js';
import { jobError, logEntryView, toDetailedLogEntryView, toLogEntryView } from './job-view.js';

const attemptNumber = Joi.number().integer().min(1);

type AttemptView = ReturnType<typeof toAttemptView>;

const workerView = view<NonNullable<AttemptRow['worker']>>('AttemptWorker', {
  name: text().description('Its host and process id.'),
  version: text().description('Its `WORKER_VERSION`.'),
});

const attemptError = view<NonNullable<AttemptView['error']>>('AttemptError', {
  code: jobError.extract('code'),
  message: text(),
  stack: text()
    .description(
      'Only if a handler that is not built in threw the error, and only for owners and admins, unless the operator decided otherwise.',
    )
    .optional(),
});

const attemptFields = {
  attempt: attemptNumber,
  started_at: timestamp(),
  finished_at: timestamp().allow(null).description('Null while the attempt runs.'),
  duration_ms: count().allow(null),
  outcome: Joi.valid(...ATTEMPT_OUTCOMES).description(
    '`released`: the worker gave the job back unfinished. `worker_lost`: the worker died. Neither uses a retry.',
  ),
  error: attemptError.allow(null),
  worker: workerView.description('The worker that ran the attempt. Absent if it has no `WORKER_VERSION`.').optional(),
};

const attemptView = view<AttemptView>('Attempt', attemptFields);

const resultView = view<ReturnType<typeof toResultView>>('JobResult', {
  status: Joi.valid(...JOB_STATUSES),
  result: Joi.any().description("The return value of the type's handler; null until the job is done."),
  error: jobError.allow(null),
  run_at: timestamp().description('The job does not run (again) before this time.'),
  started_at: timestamp().allow(null).description('The start of the latest attempt.'),
  finished_at: timestamp().allow(null),
  duration_ms: count().allow(null).description('The duration of the latest attempt.'),
});

function errorOf({ errorCode, errorMessage }: Pick<ResultRow, 'errorCode' | 'errorMessage'>) {
  return errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
}

function toAttemptView({ startedAt, durationMs, errorStack, ...row }: AttemptRow) {
  const error = errorOf(row);
  return {
    attempt: row.attempt,
    started_at: startedAt.toISOString(),
    finished_at: durationMs === null ? null : new Date(startedAt.getTime() + durationMs).toISOString(),
    duration_ms: durationMs,
    outcome: row.outcome,
    error: error && { ...error, ...(errorStack !== null && { stack: errorStack }) },
    ...(row.worker && { worker: row.worker }),
  };
}

/** Whether the caller may see the stacks of errors that custom handlers threw. */
function mayReadStacks(role: Role, shownTo: AppSettings['handlerStacks']): boolean {
  return shownTo === 'members' || (shownTo === 'admins' && hasRight(role, 'error_stacks'));
}

function toResultView(row: ResultRow) {
  return {
    status: row.status,
    result: row.result,
    error: errorOf(row),
    run_at: row.runAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
    duration_ms: row.durationMs,
  };
}

interface AttemptsQuery {
  limit: number;
  cursor?: bigint;
}

/** A job's attempts, oldest first. */
export const listAttempts = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/attempts',
  summary: "List a job's attempts",
  auth: 'jobs:read',
  needs: ['db', 'settings'],
  params: { id: NAME_PATTERN },
  query: Joi.object<AttemptsQuery>({
    limit: limit(),
    cursor: sequenceCursor().description('The `X-Next-Cursor` of the page before.'),
  }),
  responses: { 200: page('A page of attempts, oldest first', attemptView) },
  async handle({ deps, principal, params, query, url }) {
    const { limit, cursor: after } = query;
    const withStacks = mayReadStacks(principal.role, deps.settings.handlerStacks);
    const found = await listAttemptRows(deps.db, principal.orgId, params.id, { limit, after, withStacks });
    if (!found) throw notFound();
    const headers = nextPageHeaders(url, found.next === null ? null : encodeSequenceCursor(found.next));
    return { status: 200, body: found.items.map(toAttemptView), headers };
  },
});

/** Entries of a log that are read and serialized together: a thousand of 8 KiB would block the event loop for long. */
const ENTRIES_PER_READ = 100;

interface LogQuery {
  limit: number;
  after?: bigint;
  detail?: 'full';
}

/** A job's log, oldest entry first. Every page has a cursor for its end, also the last one, because a log grows. */
export const listLogs = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/logs',
  summary: "Read a job's log",
  auth: 'jobs:read',
  needs: ['db'],
  params: { id: NAME_PATTERN },
  query: Joi.object<LogQuery>({
    limit: limit(),
    after: sequenceCursor().description('The X-Next-Cursor of an earlier page: only the entries after it.'),
    detail: Joi.valid('full').description('`full`: with the kind and the data of each entry.'),
  }),
  responses: {
    200: json(
      'A page of the log. Send its `X-Next-Cursor` as `after` to get the entries that follow, now or later.',
      Joi.array<(LogEntryView | DetailedLogEntryView)[]>().items(logEntryView),
      ['X-Next-Cursor'],
    ),
  },
  async handle({ deps, principal, params, query }) {
    const body: (LogEntryView | DetailedLogEntryView)[] = [];
    const texts: string[] = [];
    for (let { after = 0n } = query; ; ) {
      const limit = Math.min(ENTRIES_PER_READ, query.limit - body.length);
      const log = await listLogRows(deps.db, principal.orgId, params.id, { limit, after });
      if (!log) throw notFound();
      const views = log.items.map(query.detail ? toDetailedLogEntryView : toLogEntryView);
      body.push(...views);
      texts.push(...views.map((view) => JSON.stringify(view)));
      after = log.items.at(-1)?.id ?? after;
      if (log.more && body.length < query.limit) continue;
      return {
        status: 200,
        body,
        text: `[${texts.join()}]`,
        headers: { 'X-Next-Cursor': encodeSequenceCursor(after) },
      };
    }
  },
});

/** The result of a job's latest attempt. */
export const getResult = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/result',
  summary: "Read a job's result",
  auth: 'jobs:read',
  needs: ['db', 'untilEnded'],
  params: { id: NAME_PATTERN },
  query: Joi.object<{ wait?: number }>({
    wait: Joi.number()
      .integer()
      .min(1)
      .max(LIMITS.waitSeconds)
      .description('Answers when the job has ended, or after so many seconds.'),
  }),
  responses: {
    200: json(
      'The result so far. `result` is null until the job is done. A failed job has one if its provider reported it later.',
      resultView,
    ),
  },
  errors: ['rate_limited'],
  async handle({
    deps,
    principal: { orgId },
    params: { id },
    query: { wait },
    getSignal,
    isStillAllowed,
    waitOutside,
  }) {
    let row = await findResult(deps.db, orgId, id);
    if (row && wait !== undefined && row.status !== 'done' && row.status !== 'failed') {
      await waitOutside(() => deps.untilEnded(orgId, id, wait * 1_000, getSignal()));
      if (!(await isStillAllowed())) throw unauthenticated();
      row = await findResult(deps.db, orgId, id);
    }
    if (!row) throw notFound();
    return { status: 200, body: toResultView(row) };
  },
});
