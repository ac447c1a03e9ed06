import type { JobKey, Json, LogLevel, OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { amendResult } from '@jobline/db/job-transitions';
import type { EngineEvents } from '../reporting/events.js';

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
