import type { JobKey, Json, LogLevel, OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { amendResult } from '@jobline/db/job-transitions';
import type { EngineEvents } from './events.js';

/**
 * Gives a finished job another result, because more has become known, with a line in its log that says what. Answers
 * whether that is settled: not while the job is still to end, which would overwrite it. Safe to repeat.
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
