import { AppError, BULK_LIMITS, type BulkActionKind, type OrgId, QUOTAS } from '@jobline/contracts';
import {
  type BulkFilter,
  type BulkRow,
  countMatching,
  countRunningBulks,
  createBulk,
  type DbSession,
  findBulk,
  startInTurn,
} from '@jobline/db';
import { newId } from '@jobline/runtime';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { json } from '../../http/response-specs.js';
import { bulkCountView, bulkView, toBulkView } from '../../views/bulk-view.js';
import { findCreated } from '../find-created.js';
import { askedFilter, type BulkBody, bulkBody, toBulkFilter } from './bulk-body.js';

/** Starts an action on all jobs that match a filter now, or counts these jobs. */
export const startBulk = defineEndpoint({
  method: 'post',
  path: '/jobs/bulk',
  summary: 'Retry, cancel, delete or rerun all jobs that match a filter',
  auth: 'jobs:write',
  right: 'jobs',
  needs: ['bulkScans', 'db', 'limits'],
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
      return { status: 200, body: await deps.bulkScans(orgId, () => count(deps.db, orgId, filter)) };
    }
    // The other actions store only a small filter. An organization that stores too much needs cancel and delete.
    if (body.action === 'rerun' || body.filter.ids) await deps.limits.ofStored(orgId);
    const { row, isReplay } = await deps.bulkScans(orgId, () => start(call));
    return { status: 202, body: toBulkView(row), headers: isReplay ? { 'Idempotent-Replayed': 'true' } : undefined };
  },
});

async function count(db: DbSession, orgId: OrgId, filter: BulkFilter): Promise<{ matches: number; more?: true }> {
  const { counted } = BULK_LIMITS;
  const matches = await countMatching(db, orgId, filter, counted + 1);
  return matches > counted ? { matches: counted, more: true } : { matches };
}

type StartCall = Call<'/jobs/bulk', 'jobs:write', BulkBody, undefined, Deps<'bulkScans' | 'db'>>;

/** Requests with the same key, and requests for the last free place, follow each other. */
function start({ deps, principal: { orgId, types }, body, idempotencyKey }: StartCall): Promise<{
  row: BulkRow;
  isReplay: boolean;
}> {
  const { action, filter, per_second: perSecond = usualSpeed(action) } = body;
  const asked = askedFilter(filter);
  const id = newId();
  // A key that sees other job types asks for something else.
  const content = { action, filter: asked, perSecond, ...(types && { types: [...types] }) };
  const creation = { endpoint: '/jobs/bulk', content, idempotencyKey, id };
  return startInTurn(deps.db, orgId, async (tx) => {
    const used = await findCreated(tx, orgId, creation, findBulk);
    if (used) return { row: used, isReplay: true };
    if ((await countRunningBulks(tx, orgId)) >= QUOTAS.bulk_actions) throw tooMany();
    const bulk = { id, action, perSecond, filter: toBulkFilter(filter, types), asked, types };
    const row = await createBulk(tx, orgId, bulk, BULK_LIMITS.jobs + 1);
    if (row.total > BULK_LIMITS.jobs) throw tooLarge();
    return { row, isReplay: false };
  });
}

/** Null: as fast as possible. */
function usualSpeed(action: BulkActionKind): number | null {
  return action === 'retry' || action === 'rerun' ? BULK_LIMITS.startedPerSecond : null;
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
