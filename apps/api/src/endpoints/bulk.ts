import {
  AppError,
  BULK_ACTIONS,
  BULK_LIMITS,
  type BulkActionKind,
  JOB_ERROR_CODES,
  JOB_STATUSES,
  type JobErrorCode,
  type JobStatus,
  type JsonObject,
  LIMITS,
  NAME_PATTERN,
  type OrgId,
  QUOTAS,
  type VisibleTypes,
} from '@jobline/contracts';
import {
  type BulkFilter,
  type BulkRow,
  countMatching,
  countRunningBulks,
  createBulk,
  type DbSession,
  findBulk,
  listBulks as listBulkRows,
  recordAudit,
  startInTurn,
  stopBulk as stopBulkRow,
  withTimeLimit,
} from '@jobline/db';
import { instant, shortText, tag } from '@jobline/engine';
import { listOf } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import Joi, { type ObjectSchema } from 'joi';
import { selectTypes } from '../auth/authorize.js';
import type { Deps } from '../deps.js';
import { type Call, defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { oneOf } from '../http/fields.js';
import type { PageQuery } from '../http/paging.js';
import { json } from '../http/response-specs.js';
import { count, view } from '../http/view.js';
import { bulkView, factOf, toBulkView, toStartedBulkView, withoutStarter } from './bulk-view.js';
import { endedFields } from './ended-fields.js';
import { findCreated } from './find-created.js';
import { defineListEndpoint, defineReadEndpoint } from './row-endpoints.js';

const bulkCountView = view<{ matches: number; more?: true }>('BulkCount', {
  matches: count().max(BULK_LIMITS.counted),
  more: Joi.valid(true).description('Present if more jobs match.').optional(),
});

interface Filter {
  status?: JobStatus | 'completed';
  type?: string;
  tag?: string[];
  error_code?: JobErrorCode;
  key?: string;
  created_after?: Date;
  created_before?: Date;
  ended_after?: Date;
  ended_before?: Date;
  message?: string;
  schedule?: string;
  after?: string;
  ids?: string[];
}

interface BulkBody {
  action: BulkActionKind;
  filter: Filter;
  dry_run: boolean;
  per_second?: number;
  events: boolean;
}

const filter: ObjectSchema<Filter> = Joi.object({
  status: Joi.valid(...JOB_STATUSES, 'completed').description('`completed` means `done`.'),
  type: Joi.string().pattern(NAME_PATTERN),
  tag: listOf(LIMITS.tagsInFilter, tag())
    .single()
    .min(1)
    .meta({ jsonSchema: { type: ['array', 'string'] } })
    .description('A tag, or several: the jobs have all of them.'),
  error_code: Joi.valid(...Object.keys(JOB_ERROR_CODES)).description('Jobs that failed with this error code.'),
  key: shortText().description('Jobs that were submitted with this `key`.'),
  created_after: instant().description('Jobs created at or after this time.'),
  created_before: instant().description('Jobs created before this time.'),
  ...endedFields,
  schedule: shortText().description('The id of a schedule: its jobs, runs by hand included.'),
  after: Joi.string().pattern(NAME_PATTERN).description('Jobs that name the job with this id in `after`.'),
  ids: listOf(BULK_LIMITS.ids, shortText()).min(1).description('The ids of jobs.'),
})
  .min(1)
  .description('A job matches if it matches every field. At least one is required.')
  .meta({ view: 'BulkFilter' });

const bulkBody: ObjectSchema<BulkBody> = Joi.object({
  action: oneOf(BULK_ACTIONS).required(),
  filter: filter.required(),
  dry_run: Joi.boolean().default(false).description('True: only count the jobs that match.'),
  per_second: Joi.number()
    .integer()
    .min(1)
    .max(BULK_LIMITS.perSecond)
    .description(
      `The highest number of jobs per second. Absent: ${BULK_LIMITS.startedPerSecond} for retry and rerun, which start jobs. Cancel and delete are bounded by the database alone.`,
    ),
  events: Joi.boolean()
    .default(true)
    .description('False: the ends of its jobs are reported to no webhook. Callback URLs get them.'),
});

/** `types`: the job types that the caller may see. */
function toBulkFilter({ status, tag: tags, key, schedule, ...filter }: Filter, types: VisibleTypes): BulkFilter {
  return {
    statuses: status === undefined ? [] : [status === 'completed' ? 'done' : status],
    types: selectTypes(types, filter.type),
    tags,
    errorCode: filter.error_code,
    limitKey: key,
    createdAfter: filter.created_after,
    createdBefore: filter.created_before,
    endedAfter: filter.ended_after,
    endedBefore: filter.ended_before,
    message: filter.message,
    scheduleId: schedule,
    after: filter.after,
    ids: filter.ids,
  };
}

/** The filter as its caller would write it. */
function askedFilter(filter: Filter): JsonObject {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
}

/** Starts an action on all jobs that match a filter now, or counts these jobs. */
export const startBulk = defineEndpoint({
  method: 'post',
  path: '/jobs/bulk',
  summary: 'Retry, cancel, delete or rerun all jobs that match a filter',
  auth: 'jobs:write',
  needs: ['bulkScans', 'bulkDb', 'limits'],
  idempotent: true,
  limits: { org: 'control' },
  body: bulkBody,
  responses: {
    200: json('With `dry_run`: how many jobs match.', bulkCountView),
    202: json('The action is stored and will be carried out.', bulkView, ['Idempotent-Replayed?']),
  },
  errors: ['conflict', 'idempotency_key_reused'],
  async handle(call) {
    const { deps, principal, body } = call;
    const { orgId, types } = principal;
    if (body.dry_run) {
      const filter = toBulkFilter(body.filter, types);
      return {
        status: 200,
        body: await deps.bulkScans.run(
          () => withTimeLimit(deps.bulkDb, COUNT_LIMIT_MS, (session) => countUpToLimit(session, orgId, filter)),
          { owner: orgId },
        ),
      };
    }
    // Jobs that run again make events. The other actions store only a small filter: a full organization needs cancel and delete.
    if (startsJobs(body.action) || body.filter.ids) await deps.limits.ofStored(orgId);
    const { row, isReplay } = await deps.bulkScans.run(() => start(call), { owner: orgId });
    return { status: 202, body: toBulkView(row), headers: isReplay ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});

/** Counts take turns, so they may take longer than other statements. */
const COUNT_LIMIT_MS = 10_000;

async function countUpToLimit(
  db: DbSession,
  orgId: OrgId,
  filter: BulkFilter,
): Promise<{ matches: number; more?: true }> {
  const { counted } = BULK_LIMITS;
  const matches = await countMatching(db, orgId, filter, counted + 1);
  return matches > counted ? { matches: counted, more: true } : { matches };
}

type StartCall = Call<'/jobs/bulk', 'jobs:write', BulkBody, undefined, Deps<'bulkScans' | 'bulkDb'>>;

/** Requests with the same key, and requests for the last free place, follow each other. */
function start({ deps, principal, origin, body, idempotencyKey }: StartCall): Promise<{
  row: BulkRow;
  isReplay: boolean;
}> {
  const { orgId, types } = principal;
  const { action, filter, events, per_second: perSecond = usualSpeed(action) } = body;
  const asked = askedFilter(filter);
  const id = newId();
  // A key that sees other job types asks for something else.
  const content = { action, filter: asked, perSecond, ...(!events && { events }), ...(types && { types: [...types] }) };
  const creation = { endpoint: '/jobs/bulk', content, idempotencyKey, id };
  return startInTurn(deps.bulkDb, orgId, async (tx) => {
    const used = await findCreated(tx, orgId, creation, findBulk);
    if (used) return { row: used, isReplay: true };
    if ((await countRunningBulks(tx, orgId)) >= QUOTAS.bulk_actions) throw tooMany();
    const createdBy = principal.kind === 'user' ? principal.userId : null;
    const apiKey = principal.kind === 'key' ? principal.keyId : null;
    const selected = toBulkFilter(filter, types);
    const bulk = { id, action, perSecond, events, filter: selected, asked, types, createdBy, apiKey };
    const row = await createBulk(tx, orgId, bulk, BULK_LIMITS.jobs + 1);
    if (row.total > BULK_LIMITS.jobs) throw tooLarge();
    await recordAudit(tx, orgId, { ...origin, ...factOf('bulk.started', principal, row) });
    return { row, isReplay: false };
  });
}

/** Null: as fast as possible. */
function usualSpeed(action: BulkActionKind): number | null {
  return startsJobs(action) ? BULK_LIMITS.startedPerSecond : null;
}

function startsJobs(action: BulkActionKind): boolean {
  return action === 'retry' || action === 'rerun';
}

function tooMany(): AppError {
  const message = `${QUOTAS.bulk_actions} bulk actions of your organization are running, which is the limit. Wait for one, or stop one.`;
  return new AppError('conflict', message);
}

function tooLarge(): AppError {
  const message = `More than ${BULK_LIMITS.jobs} jobs match, which is the limit of one action. Choose a narrower filter.`;
  return new AppError('conflict', message, {
    details: [{ path: 'filter', message: '"filter" matches too many jobs' }],
  });
}

/** The organization's bulk actions, newest first. */
export const listBulks = defineListEndpoint({
  path: '/jobs/bulk',
  summary: 'List bulk actions',
  scope: 'jobs:read',
  description: 'A page of bulk actions',
  view: bulkView,
  filters: { include: oneOf(['starter']).description('`starter`: with `created_by` or `api_key`, who started each.') },
  async rows(db, orgId, { include, ...page }: PageQuery & { include?: 'starter' }, types) {
    const { items, next } = await listBulkRows(db, orgId, { ...page, types });
    return { items: include ? items : items.map(withoutStarter), next };
  },
  toView: toStartedBulkView,
});

/** A bulk action with its progress. */
export const getBulk = defineReadEndpoint({
  path: '/jobs/bulk/:id',
  summary: 'Read a bulk action and its progress',
  scope: 'jobs:read',
  description: 'The bulk action.',
  view: bulkView,
  find: findBulk,
  toView: toBulkView,
});

/** Stops a bulk action. What is done stays done. */
export const stopBulk = defineEndpoint({
  method: 'post',
  path: '/jobs/bulk/:id/stop',
  summary: 'Stop a bulk action',
  auth: 'jobs:write',
  needs: ['db'],
  limits: { org: 'control' },
  responses: { 202: json('The bulk action. It touches no further job.', bulkView) },
  errors: ['conflict'],
  async handle({ deps: { db }, principal, origin, params: { id } }) {
    const { orgId, types } = principal;
    const stopped = await db.$transaction(async (tx) => {
      const row = await stopBulkRow(tx, orgId, id, types);
      if (row) await recordAudit(tx, orgId, { ...origin, ...factOf('bulk.stopped', principal, row) });
      return row;
    });
    const row = stopped ?? (await findBulk(db, orgId, id, types));
    if (!row) throw notFound();
    if (row.status === 'done') throw new AppError('conflict', 'The bulk action has finished already.');
    return { status: 202, body: toBulkView(row) };
  },
});
