import {
  type ErrorDetail,
  type HoldView,
  LIMIT_NAME_PATTERN,
  LIMIT_SCOPES,
  LIMITS,
  type LimitScope,
  NAME_PATTERN,
} from '@jobline/contracts';
import {
  type CountedLimitRow,
  findLimit,
  type LimitSettings,
  listLimits as listLimitRows,
  listWaitingKeys,
  recordAudit,
  type WaitingKeyRow,
} from '@jobline/db';
import { jobType } from '@jobline/engine';
import { listOf } from '@jobline/handlers';
import Joi from 'joi';
import { defineEndpoint } from '../endpoint.js';
import { invalidRequest, notFound, quotaReached } from '../http/errors.js';
import { oneOf } from '../http/fields.js';
import { empty, json } from '../http/response-specs.js';
import { count, mapTo, timestamp, type ViewOf, view } from '../http/view.js';

const bound = () => Joi.number().integer().min(1).allow(null);

const { namedLimit, hold: holdLimits } = LIMITS;

const hold = () =>
  Joi.object<HoldView>({
    after: Joi.number().integer().min(1).max(holdLimits.after).required(),
    probe_seconds: Joi.number().integer().min(holdLimits.leastProbeSeconds).max(holdLimits.probeSeconds).required(),
  });

type LimitView = Omit<ViewOf<CountedLimitRow>, 'hold' | 'held_since'> & {
  hold?: HoldView;
  held_since?: string | null;
};

const limitView = view<LimitView>('Limit', {
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
  hold: hold()
    .description(
      'It holds itself after so many attempts in a row that ended with `provider_unavailable` or `timeout`. Then one job each `probe_seconds` starts, until one is done.',
    )
    .optional(),
  held_since: timestamp()
    .allow(null)
    .description('Since when it holds itself. Present with `hold`; null: it does not.')
    .optional(),
  running: count().description('Running jobs under it.'),
  waiting: count().description(
    'Pending jobs under it that are due. A response counts about 50,000 jobs: beyond that, only a share of each type.',
  ),
});

const limitKeyView = view<ReturnType<typeof toLimitKeyView>>('LimitKey', {
  key: Joi.string().allow(null).description('Null: the jobs without a key.'),
  waiting_since: timestamp().description('When its longest-waiting job became due.'),
});

const toView = mapTo(limitView);

function toLimitView(row: CountedLimitRow) {
  const { perSecond, hold } = row;
  return toView({
    ...row,
    burst: perSecond === null ? null : (row.burst ?? Math.max(1, Math.ceil(perSecond))),
    hold: hold ? { after: hold.after, probe_seconds: hold.probeSeconds } : undefined,
    heldSince: hold ? row.heldSince : undefined,
  });
}

function toLimitKeyView({ key, since }: WaitingKeyRow) {
  return { key, waiting_since: since.toISOString() };
}

/** The members of a limit on the wire. Absent: not sent. */
interface LimitBody {
  types?: string[];
  concurrency?: number | null;
  per_second?: number | null;
  burst?: number;
  per?: LimitScope;
  ordered?: boolean;
  paused?: boolean;
  hold?: HoldView | null;
}

const limitBody = Joi.object<LimitBody>({
  types: listOf(namedLimit.types, jobType()).unique().description('The job types that it applies to.'),
  concurrency: Joi.number().integer().min(1).max(namedLimit.concurrency).allow(null),
  per_second: Joi.number().min(namedLimit.leastPerSecond).max(namedLimit.perSecond).allow(null),
  burst: Joi.number().integer().min(1).max(namedLimit.burst).description('Default: `per_second`, rounded up.'),
  per: oneOf(LIMIT_SCOPES),
  ordered: Joi.boolean().description('Only with `per` "key" and `concurrency` 1.'),
  paused: Joi.boolean(),
  hold: hold().allow(null).description('When it holds itself; null: never.'),
});

/** The organization's limits by name, with the numbers of their jobs. There are at most 100. */
export const listLimits = defineEndpoint({
  method: 'get',
  path: '/org/limits',
  summary: 'List limits',
  right: 'read_limits',
  needs: ['db'],
  responses: { 200: json('All limits, by name.', Joi.array().items(limitView)) },
  async handle({ deps, principal }) {
    return { status: 200, body: (await listLimitRows(deps.db, principal.orgId)).map(toLimitView) };
  },
});

const MAX_KEYS = 20;

/** The keys whose jobs have waited for a limit for the longest time. */
export const listLimitKeys = defineEndpoint({
  method: 'get',
  path: '/org/limits/:name/keys',
  summary: 'List the keys that wait longest for a limit',
  right: 'read_limits',
  needs: ['db'],
  params: { name: LIMIT_NAME_PATTERN },
  responses: { 200: json('At most 20 keys, the longest-waiting first.', Joi.array().items(limitKeyView)) },
  async handle({ deps, principal: { orgId }, params: { name } }) {
    if (!(await findLimit(deps.db, orgId, name))) throw notFound();
    return { status: 200, body: (await listWaitingKeys(deps.db, orgId, name, MAX_KEYS)).map(toLimitKeyView) };
  },
});

/** Creates a limit, or replaces it. It applies within two seconds, to waiting jobs too. */
export const putLimit = defineEndpoint({
  method: 'put',
  path: '/org/limits/:name',
  summary: 'Set a limit',
  right: 'limits',
  needs: ['db', 'setLimits'],
  // A name that cannot exist is an issue of this request.
  params: { name: /^.*$/su },
  body: limitBody,
  responses: { 200: json('The limit.', limitView) },
  errors: ['conflict'],
  async handle({ deps, principal: { orgId }, origin, params: { name }, body }) {
    if (!LIMIT_NAME_PATTERN.test(name)) {
      throw invalidRequest([{ path: 'name', message: '"name" must be 1 to 64 characters of A-Z a-z 0-9 . _ : -' }]);
    }
    const settings = newSettings(body);
    const outcome = await deps.setLimits.set(
      orgId,
      name,
      () => settings,
      (tx) => recordAudit(tx, orgId, { ...origin, action: 'limit.set', target: { id: orgId, name } }),
    );
    if (outcome === 'full') throw quotaReached('limits');
    const [limit] = await listLimitRows(deps.db, orgId, name);
    // It was stored, although another request has deleted it since.
    return { status: 200, body: toLimitView(limit ?? { name, ...settings, heldSince: null, running: 0, waiting: 0 }) };
  },
});

/** Changes the members that the body has. They apply within two seconds, to waiting jobs too. */
export const patchLimit = defineEndpoint({
  method: 'patch',
  path: '/org/limits/:name',
  summary: 'Change, pause or resume a limit',
  right: 'limits',
  needs: ['db', 'setLimits'],
  params: { name: LIMIT_NAME_PATTERN },
  body: limitBody.min(1),
  responses: { 200: json('The limit.', limitView) },
  async handle({ deps, principal: { orgId }, origin, params: { name }, body }) {
    const outcome = await deps.setLimits.set(
      orgId,
      name,
      (current) => current && changedSettings(current, body),
      (tx) => recordAudit(tx, orgId, { ...origin, action: 'limit.set', target: { id: orgId, name } }),
    );
    const [limit] = outcome === 'set' ? await listLimitRows(deps.db, orgId, name) : [];
    if (!limit) throw notFound();
    return { status: 200, body: toLimitView(limit) };
  },
});

/** Deletes a limit. Its waiting jobs start without it. */
export const deleteLimit = defineEndpoint({
  method: 'delete',
  path: '/org/limits/:name',
  summary: 'Delete a limit',
  right: 'limits',
  needs: ['setLimits'],
  params: { name: LIMIT_NAME_PATTERN },
  responses: { 204: empty('The limit is deleted. Jobs and schedules keep its name.') },
  async handle({ deps, principal: { orgId }, origin, params: { name } }) {
    const isDeleted = await deps.setLimits.delete(orgId, name, (tx) =>
      recordAudit(tx, orgId, { ...origin, action: 'limit.deleted', target: { id: orgId, name } }),
    );
    if (!isDeleted) throw notFound();
    return { status: 204 };
  },
});

const FIRST: LimitSettings = {
  types: [],
  concurrency: null,
  perSecond: null,
  burst: null,
  per: 'organization',
  ordered: false,
  paused: false,
  hold: null,
};

/** The settings of a new limit: what the body leaves out gets its first value. Throws if they are not a limit. */
function newSettings(body: LimitBody): LimitSettings {
  const settings = withChanges(FIRST, body);
  const issues = [...combinationIssues(settings, body), ...boundIssues(settings)];
  if (issues.length > 0) throw invalidRequest(issues);
  return settings;
}

/**
 * The settings of a limit with the members that the body gives. Throws if they are not a limit; a limit may have no bound only
 * if it is resumed, or had none.
 */
function changedSettings(current: LimitSettings, body: LimitBody): LimitSettings {
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
    hold:
      body.hold === undefined
        ? current.hold
        : body.hold && { after: body.hold.after, probeSeconds: body.hold.probe_seconds },
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

function boundIssues({ concurrency, perSecond, paused, hold }: LimitSettings): ErrorDetail[] {
  if (concurrency !== null || perSecond !== null || paused || hold) return [];
  return [{ path: '', message: 'a limit needs "concurrency", "per_second", "hold" or "paused": true' }];
}
