import { type DetailedLogEntryView, type LogEntryView, NAME_PATTERN } from '@jobline/contracts';
import { listLogs as listLogRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { encodeSequenceCursor, limit, sequenceCursor } from '../../http/paging.js';
import { json } from '../../http/response-specs.js';
import { logEntryView, toDetailedLogEntryView, toLogEntryView } from '../../views/job-view.js';

interface Query {
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
  right: 'jobs',
  needs: ['db'],
  params: { id: NAME_PATTERN },
  query: Joi.object<Query>({
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
    const log = await listLogRows(deps.db, principal.orgId, params.id, query);
    if (!log) throw notFound();
    const end = encodeSequenceCursor(log.items.at(-1)?.id ?? query.after ?? 0n);
    return {
      status: 200,
      body: log.items.map(query.detail ? toDetailedLogEntryView : toLogEntryView),
      headers: { 'X-Next-Cursor': end },
    };
  },
});
