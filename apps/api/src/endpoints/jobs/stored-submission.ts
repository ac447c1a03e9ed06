import type { ErrorDetail, JsonObject, OrgId } from '@jobline/contracts';
import type { IdempotencyKey, ReserveMemory } from '@jobline/db';
import { issuesOfPayload, type Submission, type SubmissionRules, type Submitted, typeIssues } from '@jobline/engine';
import type { Principal } from '../../auth/authorize.js';
import { requireVisibleJob } from '../../auth/authorize.js';
import type { Deps } from '../../deps.js';

/** Jobs that are made from stored data: from another job, or by a schedule that is run by hand. */

/**
 * Submits the job. A replay is recognized first, because the stored data may have been deleted or changed since the first
 * request.
 */
export async function submitStored(
  { deps, principal, traceparent }: StoredCall,
  key: IdempotencyKey | null,
  readSubmission: () => Promise<Submission>,
): Promise<Submitted> {
  const replay = await deps.submissions.findReplay(principal.orgId, key);
  if (replay) {
    await requireVisibleJob(deps.db, principal, replay.id);
    return replay;
  }
  const { orgId, types } = principal;
  return deps.submissions.submit(orgId, await readSubmission(), { key, traceparent, types });
}

interface StoredCall {
  deps: Deps<'db' | 'submissions'>;
  principal: Principal;
  traceparent: string | null;
}

/** The issues of the job. `payload`: a new one. `after`: the ids to whose results it may refer. */
export function storedSubmissionIssues(
  { allowedTypes, catalogue }: SubmissionRules,
  type: string,
  payload: JsonObject | undefined,
  after: readonly string[] = [],
): ErrorDetail[] {
  return [
    ...typeIssues(allowedTypes, 'type', type),
    ...issuesOfPayload(catalogue, 'payload', type, payload, after.length > 0 ? after : undefined),
  ];
}

/** A `reserve` for stored JSON that will be stored once more: it counts as if it had been in the body of the request. */
export function copying({ limits }: Deps<'limits'>, orgId: OrgId, reserve: ReserveMemory): ReserveMemory {
  return (jsonBytes) => {
    limits.ofBytes(orgId, jsonBytes);
    return reserve(jsonBytes);
  };
}
