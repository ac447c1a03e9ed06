import { LIMIT_NAME_PATTERN, LIMIT_SCOPES, type LimitKeyView, type LimitView, NAME_PATTERN } from '@jobline/contracts';
import type { CountedLimitRow, WaitingKeyRow } from '@jobline/db';
import Joi from 'joi';
import { count, timestamp, view } from './view.js';

const bound = () => Joi.number().integer().min(1).allow(null);

export const limitView = view<LimitView>('Limit', {
  name: Joi.string().pattern(LIMIT_NAME_PATTERN),
  types: Joi.array()
    .items(Joi.string().pattern(NAME_PATTERN))
    .description('The job types that it applies to, in addition to the jobs that name it.'),
  concurrency: bound().description('How many of its jobs run at a time at most; null: no bound.'),
  per_second: Joi.number().allow(null).description('How many of its jobs start per second at most; null: no bound.'),
  burst: bound().description('How many of its jobs may start at once after a pause; null without `per_second`.'),
  per: Joi.valid(...LIMIT_SCOPES).description(
    'Whether the bounds apply to all of its jobs together, or to each `key`.',
  ),
  ordered: Joi.boolean().description('Whether the jobs of a key start in the order in which they were accepted.'),
  paused: Joi.boolean().description('Whether no job under it starts.'),
  running: count().description('Running jobs under it.'),
  waiting: count().description('Pending jobs under it that are due, counted up to 100,000.'),
});

export const limitKeyView = view<LimitKeyView>('LimitKey', {
  key: Joi.string().allow(null).description('Null: the jobs without a key.'),
  waiting_since: timestamp().description('When its longest-waiting job became due.'),
});

export function toLimitView({ perSecond, burst, ...row }: CountedLimitRow): LimitView {
  return {
    name: row.name,
    types: row.types,
    concurrency: row.concurrency,
    per_second: perSecond,
    burst: perSecond === null ? null : (burst ?? Math.max(1, Math.ceil(perSecond))),
    per: row.per,
    ordered: row.ordered,
    paused: row.paused,
    running: row.running,
    waiting: row.waiting,
  };
}

export function toLimitKeyView({ key, since }: WaitingKeyRow): LimitKeyView {
  return { key, waiting_since: since.toISOString() };
}
