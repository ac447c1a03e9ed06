import { type ErrorDetail, LIMIT_SCOPES, LIMITS, type LimitScope } from '@jobline/contracts';
import type { LimitSettings } from '@jobline/db';
import Joi from 'joi';
import { invalidRequest } from '../../../http/errors.js';
import { oneOf } from '../../../http/fields.js';
import { listOf } from '../../../http/list-of.js';
import { jobType } from '../../jobs/submission.js';

/** The members of a limit on the wire. Absent: not sent. */
export interface LimitBody {
  types?: string[];
  concurrency?: number | null;
  per_second?: number | null;
  burst?: number;
  per?: LimitScope;
  ordered?: boolean;
  paused?: boolean;
}

const { namedLimit } = LIMITS;

export const limitBody = Joi.object<LimitBody>({
  types: listOf(namedLimit.types, jobType()).unique().description('The job types that it applies to.'),
  concurrency: Joi.number().integer().min(1).max(namedLimit.concurrency).allow(null),
  per_second: Joi.number().min(namedLimit.leastPerSecond).max(namedLimit.perSecond).allow(null),
  burst: Joi.number().integer().min(1).max(namedLimit.burst).description('Default: `per_second`, rounded up.'),
  per: oneOf(LIMIT_SCOPES),
  ordered: Joi.boolean().description('Only with `per` "key" and `concurrency` 1.'),
  paused: Joi.boolean(),
});

const FIRST: LimitSettings = {
  types: [],
  concurrency: null,
  perSecond: null,
  burst: null,
  per: 'organization',
  ordered: false,
  paused: false,
};

/** The settings of a new limit: what the body leaves out gets its first value. Throws if they are not a limit. */
export function newSettings(body: LimitBody): LimitSettings {
  const settings = withChanges(FIRST, body);
  const issues = [...combinationIssues(settings, body), ...boundIssues(settings)];
  if (issues.length > 0) throw invalidRequest(issues);
  return settings;
}

/**
 * The settings of a limit with the members that the body gives. Throws if they are not a limit; a limit may have no bound only
 * if it is resumed, or had none.
 */
export function changedSettings(current: LimitSettings, body: LimitBody): LimitSettings {
  const settings = withChanges(current, body);
  const mayBeOpen = body.paused === false || boundIssues(current).length > 0;
  const issues = [...combinationIssues(settings, body), ...(mayBeOpen ? [] : boundIssues(settings))];
  if (issues.length > 0) throw invalidRequest(issues);
  return settings;
}

function withChanges(current: LimitSettings, body: LimitBody): LimitSettings {
  const perSecond = body.per_second === undefined ? current.perSecond : body.per_second;
  return {
    types: body.types ?? current.types,
    concurrency: body.concurrency === undefined ? current.concurrency : body.concurrency,
    perSecond,
    // Without a rate there is no burst: one that was sent is an issue, one from before is dropped.
    burst: body.burst ?? (perSecond === null ? null : current.burst),
    per: body.per ?? current.per,
    ordered: body.ordered ?? current.ordered,
    paused: body.paused ?? current.paused,
  };
}

/** Members that do not fit together. Named are those that were sent. */
function combinationIssues(
  { perSecond, burst, ordered, per, concurrency }: LimitSettings,
  body: LimitBody,
): ErrorDetail[] {
  const issues: ErrorDetail[] = [];
  if (burst !== null && perSecond === null) issues.push({ path: 'burst', message: '"burst" needs "per_second"' });
  if (ordered && (per !== 'key' || concurrency !== 1)) {
    const path = body.ordered === undefined ? (per === 'key' ? 'concurrency' : 'per') : 'ordered';
    issues.push({ path, message: '"ordered" needs "per": "key" and "concurrency": 1' });
  }
  return issues;
}

function boundIssues({ concurrency, perSecond, paused }: LimitSettings): ErrorDetail[] {
  if (concurrency !== null || perSecond !== null || paused) return [];
  return [{ path: '', message: 'a limit needs "concurrency", "per_second" or "paused": true' }];
}
