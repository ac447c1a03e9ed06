import type { AuditAction } from '@jobline/contracts';
import {
  changeTeam,
  findScheduleInTurn,
  lockSchedule,
  recordAudit,
  type ScheduleRow,
  type ScheduleSettings,
  updateSchedule,
} from '@jobline/db';
import { isVisible, requireType } from '../../auth/authorize.js';
import type { Deps } from '../../deps.js';
import { type Call, defineEndpoint } from '../../endpoint.js';
import { invalidRequest, notFound, orNameTaken } from '../../http/errors.js';
import { json } from '../../http/response-specs.js';
import { rulesOf } from '../jobs/submission.js';
import { changeBody, withChanges } from './schedule-body.js';
import { changedState, precheckSchedule, requireCapacity, requireLimit } from './schedule-state.js';
import { scheduleView, toScheduleView } from './schedules.js';

const needs = ['catalogue', 'compose', 'customTypes', 'db', 'plan', 'settings'] as const;

/** Changes the fields that the body has. Times that are due already are made before. */
export const changeSchedule = defineEndpoint({
  method: 'patch',
  path: '/schedules/:id',
  summary: 'Change, pause or resume a schedule',
  auth: 'schedules:write',
  needs,
  body: changeBody,
  responses: { 200: json('The schedule.', scheduleView) },
  errors: ['conflict', 'sender_domain_not_verified', 'sender_not_registered'],
  async handle(call) {
    const { deps, principal, params, body } = call;
    if (body.type !== undefined) requireType(principal, body.type, 'type');
    for (let n = 0; n < MAX_TRIES; n++) {
      const changed = await change(call, n === MAX_TRIES - 1);
      if (changed) return { status: 200, body: await toScheduleView(changed) };
      await deps.plan.settle(principal.orgId, params.id);
    }
    throw new Error('the schedule was changed each time that a request changed it');
  },
});

/** How many times another request, or a planned time, can come between the check of a change and the change. */
const MAX_TRIES = 5;

/** How many times a change parses the payload: of the schedule that is checked, that is locked, and that is stored. */
const PARSED = 3;

type ChangeCall = Call<
  '/schedules/:id',
  'schedules:write',
  Partial<ScheduleSettings>,
  undefined,
  Deps<(typeof needs)[number]>
>;

/** Null: the schedule has changed since it was checked, or has become due. `isLast`: then it is changed nevertheless. */
async function change(call: ChangeCall, isLast: boolean): Promise<ScheduleRow | null> {
  const { deps, principal, origin, params, body } = call;
  const { orgId } = principal;
  const checked = await checkChange(call);
  return changeTeam(deps.db, orgId, async (tx) => {
    const locked = await lockSchedule(tx, orgId, params.id);
    if (!locked || !isVisible(principal.types, locked.current.type)) throw notFound();
    const { current, now } = locked;
    const isDue = current.nextRunAt !== null && current.nextRunAt <= now;
    if (!isLast && (isDue || !hasSameJob(current, checked))) return null;
    const settings = settingsOf(current, call);
    if (body.payload) await requireCapacity(tx, orgId, settings, params.id);
    const changed = await updateSchedule(tx, orgId, params.id, settings, changedState(current, settings, now));
    const target = { id: params.id, name: settings.name };
    for (const action of actionsOf(body, current)) await recordAudit(tx, orgId, { ...origin, action, target });
    return changed;
  }).catch(orNameTaken('name', body.name ?? ''));
}

/** Checks the change against the schedule as it is now. Returns that schedule. */
async function checkChange(call: ChangeCall): Promise<ScheduleRow> {
  const { deps, principal, params, body, getSignal, reserve } = call;
  const current = await findScheduleInTurn(deps.db, principal.orgId, params.id, (bytes) => reserve(PARSED * bytes));
  if (!current) throw notFound();
  const settings = settingsOf(current, call);
  // A schedule keeps the name of a deleted limit.
  if (settings.limitName !== current.limitName) await requireLimit(deps, principal.orgId, settings.limitName);
  if (body.type !== undefined || body.payload) {
    await precheckSchedule(deps, principal.orgId, settings, getSignal, principal.types);
  }
  return current;
}

function settingsOf(current: ScheduleRow, { deps, body }: ChangeCall): ScheduleSettings {
  const changed = withChanges(current, body, rulesOf(deps));
  if ('issues' in changed) throw invalidRequest(changed.issues);
  return changed.value;
}

/** Whether the job is still the one that was checked together with the change. */
function hasSameJob(current: ScheduleRow, checked: ScheduleRow): boolean {
  return current.type === checked.type && JSON.stringify(current.payload) === JSON.stringify(checked.payload);
}

function actionsOf({ enabled, ...others }: Partial<ScheduleSettings>, current: ScheduleRow): AuditAction[] {
  return [
    ...(Object.keys(others).length > 0 ? ['schedule.changed' as const] : []),
    ...(enabled === true && !current.enabled ? ['schedule.resumed' as const] : []),
    ...(enabled === false && current.enabled ? ['schedule.paused' as const] : []),
  ];
}
