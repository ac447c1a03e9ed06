import { AppError, LIMITS, type OrgId, QUOTAS, type VisibleTypes } from '@jobline/contracts';
import {
  type DbSession,
  listRejectedTypes,
  measureSchedules,
  type ScheduleRow,
  type ScheduleSettings,
  type ScheduleState,
  unknownLimits,
} from '@jobline/db';
import { issuesOfSources, plannedTimes, precheck, sourcesOf, unknownType } from '@jobline/engine';
import type { Deps } from '../../deps.js';
import { invalidRequest, quotaReached } from '../../http/errors.js';

/** The state of a schedule that is created now. */
export function firstState(settings: ScheduleSettings, now: Date): ScheduleState {
  return { anchorAt: now, nextRunAt: settings.enabled ? nextRunAt(settings, now, now) : null };
}

/** The state of a schedule after a change. Only another timing, or the end of a pause, gives it another next time. */
export function changedState(current: ScheduleRow, settings: ScheduleSettings, now: Date): ScheduleState {
  const isNewPeriod = settings.everySeconds !== null && settings.everySeconds !== current.everySeconds;
  const isNewCron =
    settings.cron !== null && (settings.cron !== current.cron || settings.timezone !== current.timezone);
  const anchorAt = isNewPeriod ? now : current.anchorAt;
  if (!settings.enabled) return { anchorAt, nextRunAt: null };
  const isSame = current.enabled && !isNewPeriod && !isNewCron;
  return { anchorAt, nextRunAt: isSame ? current.nextRunAt : nextRunAt(settings, anchorAt, now) };
}

function nextRunAt(settings: ScheduleSettings, anchorAt: Date, now: Date): Date | null {
  const at = plannedTimes({ ...settings, anchorAt }).next(now.getTime());
  return at === null ? null : new Date(at);
}

/** Throws unless the organization has a limit of the name. Checked when a schedule gets the name, and not later. */
export async function requireLimit({ db }: Deps<'db'>, orgId: OrgId, limitName: string | null): Promise<void> {
  if (limitName === null || (await unknownLimits(db, orgId, [limitName])).size === 0) return;
  const message = `"limit" is not a limit of your organization: ${limitName}`;
  throw invalidRequest([{ path: 'limit', message }]);
}

/**
 * Throws if the organization rejects the type, or if the payload is invalid because of stored data, such as senders, templates
 * and files. `types`: the job types that the caller may see.
 */
export async function precheckSchedule(
  deps: Deps<'catalogue' | 'compose' | 'customTypes' | 'db'>,
  orgId: OrgId,
  job: Pick<ScheduleSettings, 'type' | 'payload'> & { isStored?: boolean },
  getSignal: () => AbortSignal,
  types: VisibleTypes,
): Promise<void> {
  const isRejected = !deps.catalogue.has(job.type) && (await listRejectedTypes(deps.db, orgId, [job.type])).size > 0;
  if (isRejected) throw invalidRequest([unknownType(job.type)]);
  await precheck(deps, orgId, [{ ...job, payloadName: 'payload' }], getSignal);
  const issues = job.isStored ? [] : await issuesOfSources(deps.db, orgId, sourcesOf(job.type, job.payload), types);
  if (issues.length > 0) throw invalidRequest(issues);
}

/** Throws if the organization may not have one more schedule with this payload. `exceptId`: the one that is changed. */
export async function requireCapacity(
  tx: DbSession,
  orgId: OrgId,
  { payload }: Pick<ScheduleSettings, 'payload'>,
  exceptId: string | null,
): Promise<void> {
  const used = await measureSchedules(tx, orgId, exceptId);
  if (exceptId === null && used.count >= QUOTAS.schedules) throw quotaReached('schedules');
  const { payloadBytes } = LIMITS.schedules;
  if (used.payloadBytes + Buffer.byteLength(JSON.stringify(payload)) <= payloadBytes) return;
  throw new AppError(
    'conflict',
    `The payloads of your organization's schedules may have ${payloadBytes / 1024 ** 2} MiB together.`,
    { details: [{ path: 'payload', message: '"payload" is larger than what is left of this limit' }] },
  );
}
