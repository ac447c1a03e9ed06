import type { Json, JsonObject } from '@jobline/contracts';
import {
  changeTeam,
  createSchedule as createScheduleRow,
  findCreationKey,
  type IdempotencyKey,
  readNowMs,
  recordAudit,
  type ScheduleSettings,
  type UsedCreationKey,
  useCreationKey,
} from '@jobline/db';
import { keyReused, requestKey } from '@jobline/engine';
import { newId } from '@jobline/runtime';
import { requireType } from '../../auth/authorize.js';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { orNameTaken } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { creationBody, type NewSchedule } from './schedule-body.js';
import { firstState, precheckSchedule, requireCapacity, requireLimit } from './schedule-state.js';
import { type ShownSchedule, scheduleView, toScheduleView } from './schedules.js';

const needs = ['catalogue', 'compose', 'customTypes', 'db', 'settings', 'submissions'] as const;

/** Creates a schedule. Its first job is made at its next planned time. */
export const createSchedule = defineEndpoint({
  method: 'post',
  path: '/schedules',
  summary: 'Create a schedule',
  auth: 'schedules:write',
  needs,
  limits: { caller: 'manage', stores: true },
  idempotent: true,
  body: creationBody,
  responses: { 201: json('The schedule.', scheduleView, ['Idempotent-Replayed?']) },
  errors: ['conflict', 'idempotency_key_reused', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle(call) {
    const { schedule, isReplay } = await create(call);
    const headers = isReplay ? { 'Idempotent-Replayed': 'true' } : undefined;
    return { status: 201, body: await toScheduleView(schedule), headers };
  },
});

type CreateCall = Call<'/schedules', 'schedules:write', NewSchedule, undefined, Deps<(typeof needs)[number]>>;

interface Created {
  schedule: ShownSchedule;
  isReplay: boolean;
}

/** A replay is recognized first, because what the request names may have been deleted since the first request. */
async function create(call: CreateCall): Promise<Created> {
  const { deps, principal, body, idempotencyKey, getSignal } = call;
  requireType(principal, body.type, 'type');
  const key = requestKey('/schedules', idempotencyKey, () => contentOf(body));
  const used = key && (await findCreationKey(deps.db, principal.orgId, key));
  if (used) return replayOf(body, used);
  await requireLimit(deps, principal.orgId, body.limitName);
  await precheckSchedule(deps, principal.orgId, body, getSignal, principal.types);
  const { maxRetries = await deps.submissions.maxRetriesFor(body.type) } = body;
  return store(call, { ...body, maxRetries }, key).catch(orNameTaken('name', body.name));
}

function store(
  { deps, principal: { orgId }, origin, body }: CreateCall,
  settings: ScheduleSettings,
  key: IdempotencyKey | null,
): Promise<Created> {
  const id = newId();
  return changeTeam(deps.db, orgId, async (tx) => {
    const now = new Date(await readNowMs(tx));
    const state = firstState(settings, now);
    const used = key && (await useCreationKey(tx, orgId, key, answerOf(id, now, state.nextRunAt, settings.maxRetries)));
    if (used) return replayOf(body, used);
    await requireCapacity(tx, orgId, body, null);
    const schedule = await createScheduleRow(tx, orgId, id, settings, state);
    await recordAudit(tx, orgId, { ...origin, action: 'schedule.created', target: { id, name: body.name } });
    return { schedule, isReplay: false };
  });
}

/** What the response has in addition to the request. The key keeps only this, because payloads are large. */
function answerOf(id: string, createdAt: Date, nextRunAt: Date | null, maxRetries: number): Json {
  const times = { created_at: createdAt.toISOString(), next_run_at: nextRunAt?.toISOString() ?? null };
  return { id, ...times, max_retries: maxRetries };
}

/** The schedule as the first response has shown it. */
function replayOf(body: NewSchedule, { isSame, answer }: UsedCreationKey): Created {
  if (!isSame) throw keyReused();
  // The cast: answers to this endpoint are made by answerOf, and the hash contains the endpoint.
  const { id, created_at, next_run_at, ...more } = answer as {
    id: string;
    created_at: string;
    next_run_at: string | null;
    /** Absent: stored by an earlier version, without defaults of types. */
    max_retries?: number;
  };
  const maxRetries = more.max_retries ?? body.maxRetries ?? 0;
  const nextRunAt = next_run_at === null ? null : new Date(next_run_at);
  const first = { lastRunAt: null, lastJobId: null, lastStatus: null, skipped: 0 };
  return {
    schedule: { ...body, ...first, maxRetries, id, createdAt: new Date(created_at), nextRunAt },
    isReplay: true,
  };
}

/** No `max_retries` counts as 0, as it always has. */
function contentOf({ tags, maxRetries = 0, ...settings }: NewSchedule): JsonObject {
  return { ...settings, maxRetries, tags: [...tags].sort() };
}
