import {
  ABOUT_LENGTH,
  AppError,
  type AuditDetails,
  ERASURE_STATUSES,
  type JsonObject,
  MAX_RUNNING_ERASURES,
  type OrgId,
} from '@jobline/contracts';
import {
  changeTeam,
  countRunningErasures,
  createErasure,
  type DbSession,
  type Erased,
  type ErasureRow,
  findErasure,
  keyedHash,
  listErasures as listErasureRows,
  lockNextSchedules,
  type NamingSchedule,
  pauseSchedules,
  recordAudit,
  recordAuditOfEach,
} from '@jobline/db';
import { aboutText, shortText } from '@jobline/engine';
import { ABOUT_TYPES, aboutsOf, addressForms } from '@jobline/handlers';
import { newId } from '@jobline/runtime';
import Joi from 'joi';
import type { Deps } from '../deps.js';
import { type Call, defineEndpoint } from '../endpoint.js';
import { uuid } from '../http/fields.js';
import { json } from '../http/response-specs.js';
import { count, mapTo, timestamp, type ViewOf, view } from '../http/view.js';
import { findCreated } from './find-created.js';
import { defineListEndpoint, defineReadEndpoint } from './row-endpoints.js';

const erasureView = view<ViewOf<ErasureRow>>('Erasure', {
  id: uuid(),
  status: Joi.valid(...ERASURE_STATUSES),
  jobs: count().description('How many were deleted so far, like the numbers below.'),
  messages: count(),
  files: count(),
  suppressions: count().description('How many were deleted or became a hash.'),
  schedules: Joi.array().items(uuid()).description('The schedules that name it. They are paused.'),
  created_at: timestamp(),
  finished_at: timestamp().allow(null),
});

const toErasureView = mapTo(erasureView);

interface Body {
  address?: string;
  key?: string;
  suppressions: boolean;
}

/** Erases what is stored about an address or a key. */
export const startErasure = defineEndpoint({
  method: 'post',
  path: '/org/erasures',
  summary: 'Erase everything about an address or a key',
  right: 'erasures',
  needs: ['beginErasure', 'db'],
  idempotent: true,
  takesTurns: true,
  limits: { caller: 'manage' },
  body: Joi.object<Body>({
    address: aboutText()
      .min(1)
      .description(
        `An email address, a phone number, another recipient or a host: at most ${ABOUT_LENGTH} characters. Upper and lower case are the same.`,
      ),
    key: shortText().description('The `key` of jobs.'),
    suppressions: Joi.boolean()
      .default(false)
      .description('Whether suppressions of the address are deleted. Otherwise a hash of it stays suppressed.'),
  })
    .or('address', 'key')
    .description('At least one of `address` and `key`. Both together mean everything of either.'),
  responses: {
    202: json('The erasure is stored and begins now.', erasureView, ['Idempotent-Replayed?']),
  },
  errors: ['conflict', 'idempotency_key_reused'],
  async handle(call) {
    const { row, isReplay } = await start(call);
    call.deps.beginErasure(call.principal.orgId);
    return {
      status: 202,
      body: toErasureView(row),
      headers: isReplay ? { 'Idempotent-Replayed': 'true' } : undefined,
    };
  },
});

type StartCall = Call<'/org/erasures', 'bearer', Body, undefined, Deps<'beginErasure' | 'db'>>;

function start({ deps, principal: { orgId }, origin, body, idempotencyKey }: StartCall): Promise<{
  row: ErasureRow;
  isReplay: boolean;
}> {
  const { address = null, key = null, suppressions: liftsSuppressions } = body;
  const id = newId();
  const content: JsonObject = { address, key, liftsSuppressions };
  const creation = { endpoint: '/org/erasures', content, idempotencyKey, id };
  return changeTeam(deps.db, orgId, async (tx) => {
    const used = await findCreated(tx, orgId, creation, findErasure);
    if (used) return { row: used, isReplay: true };
    if ((await countRunningErasures(tx, orgId)) >= MAX_RUNNING_ERASURES) throw tooMany();
    const { named, paused } = await pauseNaming(tx, orgId, { address, key });
    const schedules = named.map((schedule) => schedule.id);
    const row = await createErasure(tx, orgId, { id, address, key, liftsSuppressions, schedules });
    const details: AuditDetails = {
      ...(address !== null && { address_hash: await keyedHash(tx, orgId, address) }),
      ...(key !== null && { key_hash: await keyedHash(tx, orgId, key) }),
    };
    await recordAudit(tx, orgId, { ...origin, action: 'data.erased', target: { id, name: 'erasure' }, details });
    const targets = paused.map(({ id, name }) => ({ id, name }));
    if (targets.length > 0) await recordAuditOfEach(tx, orgId, { ...origin, action: 'schedule.paused' }, targets);
    return { row, isReplay: false };
  });
}

/** Schedules whose payloads are in memory at the same time. */
const PAGE = 50;

/** Pauses the schedules that name what is erased. Returns all of them, and those that were not paused before. */
async function pauseNaming(
  tx: DbSession,
  orgId: OrgId,
  { address, key }: Erased,
): Promise<{ named: NamingSchedule[]; paused: NamingSchedule[] }> {
  const forms = new Set(address === null ? [] : addressForms(address));
  const types = address === null ? [] : ABOUT_TYPES;
  const named: NamingSchedule[] = [];
  for (let after: string | null = null; ; ) {
    const page: NamingSchedule[] = await lockNextSchedules(tx, orgId, { key, types, after, limit: PAGE });
    named.push(...page.filter((schedule) => names(schedule, forms, key)));
    if (page.length < PAGE) break;
    after = page.at(-1)?.id ?? null;
  }
  const changed = await pauseSchedules(
    tx,
    orgId,
    named.map(({ id }) => id),
  );
  return { named, paused: named.filter(({ id }) => changed.has(id)) };
}

function names({ type, limitKey, payload }: NamingSchedule, forms: ReadonlySet<string>, key: string | null): boolean {
  if (key !== null && limitKey === key) return true;
  // The cast: only objects are stored as payloads.
  return forms.size > 0 && aboutsOf(type, JSON.parse(payload) as JsonObject).some(({ value }) => forms.has(value));
}

function tooMany(): AppError {
  const message = `${MAX_RUNNING_ERASURES} erasures of your organization are running, which is the limit. Wait for one.`;
  return new AppError('conflict', message);
}

/** The organization's erasures, newest first. */
export const listErasures = defineListEndpoint({
  path: '/org/erasures',
  summary: 'List erasures',
  right: 'erasures',
  description: 'A page of erasures',
  view: erasureView,
  rows: listErasureRows,
  toView: toErasureView,
});

/** An erasure with its progress. */
export const getErasure = defineReadEndpoint({
  path: '/org/erasures/:id',
  summary: 'Read an erasure and its progress',
  right: 'erasures',
  description: 'The erasure.',
  view: erasureView,
  find: findErasure,
  toView: toErasureView,
});
