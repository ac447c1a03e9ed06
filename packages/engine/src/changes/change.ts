import { AppError, type JobKey, type Json, type JsonObject, type LogLevel, type OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { amendResult, changePending } from '@jobline/db/job-transitions';
import type { NamedSource } from '@jobline/handlers';
import { entryOf } from '../queue/entry.js';
import type { Producer } from '../queue/producer.js';
import type { EngineEvents } from '../reporting/events.js';
import { NOTES } from '../reporting/job-log.js';
import { refsOf } from '../submit/sources.js';

/** New values of a pending job, already validated. What is undefined stays. */
export interface Changes {
  /** Null or a time in the past means now. */
  runAt?: Date | null | undefined;
  priority?: number | undefined;
  /** Null: the job does not expire any more. */
  expiresAt?: Date | null | undefined;
  payload?: JsonObject | undefined;
  /** The ids to whose results the payload refers. */
  refers?: readonly string[] | undefined;
  /** What the new payload takes bytes from. */
  sources?: readonly NamedSource[] | undefined;
  /** What it names. */
  abouts?: readonly string[] | undefined;
}

/**
 * Changes a pending job. When it resolves with true, the change is committed, and no attempt that starts afterwards gets the
 * old values. False: the organization has no such job. Throws AppError `conflict` if the job is not pending, and
 * `validation_failed` if it would expire before it is due.
 */
export type Change = (orgId: OrgId, id: string, changes: Changes) => Promise<boolean>;

/** Updates the row first. If the job waits for another entry then, the dispatcher adds it. */
export function createChange(deps: { db: Db; producer: Producer; events: EngineEvents }): Change {
  return async (orgId, id, { payload, refers, sources = [], abouts, ...changes }) => {
    const text = payload && JSON.stringify(payload);
    const note = NOTES.changed(namesOf({ payload, ...changes }));
    const change = { ...changes, payload: text, refers, sources: refsOf(sources), abouts };
    const result = await changePending(deps.db, orgId, id, change, note);
    if (result.kind === 'gone') return false;
    if (result.kind === 'not-pending') {
      throw new AppError('conflict', `Only pending jobs can be changed; "${id}" is ${result.status}.`);
    }
    if (result.kind === 'expiring') throw expiring(changes);
    const { key, type, entry, movedTo } = result;
    // The old entry would be harmless, but it would use capacity in the window of its queue. The entry of a chunk stays.
    if (movedTo !== null) deps.producer.drop(entryOf(entry));
    if (movedTo === 'waiting' || movedTo === 'held') deps.producer.publishWaiting();
    deps.events.emit('job.changed', { key, orgId, type });
    return true;
  };
}

/** The changed fields, in the spelling of the API. */
function namesOf({ runAt, priority, expiresAt, payload }: Changes): string[] {
  const values = { run_at: runAt, priority, expires_at: expiresAt, payload };
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

function expiring({ expiresAt }: Pick<Changes, 'expiresAt'>): AppError {
  const detail = expiresAt
    ? { path: 'expires_at', message: '"expires_at" must be later than now and than "run_at"' }
    : { path: 'run_at', message: '"run_at" must be earlier than "expires_at"' };
  return new AppError('validation_failed', 'The request is invalid; see details.', { details: [detail] });
}

/**
 * Replaces the result of a finished job, because more is known now, and adds a line to its log that explains it.
 * Returns whether this is complete: false while the job has not finished yet, because its end would overwrite the
 * result. Safe to repeat.
 */
export type Amend = (
  orgId: OrgId,
  key: JobKey,
  amendment: { result: Json; level: LogLevel; message: string },
) => Promise<boolean>;

export function createAmend(deps: { db: Db; events: EngineEvents }): Amend {
  return async (orgId, key, { result, level, message }) => {
    const outcome = await amendResult(deps.db, orgId, { key, result: JSON.stringify(result), level, message });
    if (outcome === 'amended') deps.events.emit('lines.written', { orgIds: new Set([orgId]) });
    return outcome !== 'open';
  };
}
