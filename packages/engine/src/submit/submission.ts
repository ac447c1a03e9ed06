import { createHash } from 'node:crypto';
import type { JobKey, Json, JsonObject, OrgId } from '@jobline/contracts';
import { type IdempotencyKey, type JobSpec, specOf } from '@jobline/db';
import { newId } from '@jobline/runtime';
import type { JobDraft } from './enqueue.js';

/** A validated and normalized request to run a job. */
export interface Submission extends JobSpec {
  /** Chosen by the caller. If it is absent, the service generates one. */
  id?: string | undefined;
  payload: JsonObject;
  /** The earliest time at which the job may run. Null or a time in the past means now. */
  runAt: Date | null;
  /** The id of the job of which this one is a rerun. */
  rerunOf?: string | undefined;
  /** The schedule that is run by hand. Such a job is accepted although its limit is deleted or too many jobs are pending. */
  scheduleId?: string | undefined;
  /** No attempt starts at or after this time. */
  expiresAt?: Date | undefined;
}

export function toJobDraft(
  queue: string,
  orgId: OrgId,
  submission: Submission,
  traceparent: string | null = null,
): JobDraft {
  const { id, payload, runAt, rerunOf, scheduleId, expiresAt } = submission;
  const key = newJobKey();
  return {
    ...specOf(submission),
    key,
    orgId,
    id: id ?? key,
    queue,
    payload: JSON.stringify(payload),
    contentHash: id === undefined ? null : sha256(contentOf(submission)),
    runAt,
    traceparent,
    rerunOf,
    scheduleId,
    expiresAt,
  };
}

export function newJobKey(): JobKey {
  return newId() as JobKey; // The cast: this is where job keys are generated.
}

/**
 * The idempotency key of a request, with a hash that is equal for two requests to one endpoint with the same content. Null: the
 * request has none.
 */
export function requestKey(endpoint: string, key: string | undefined, content: () => Json): IdempotencyKey | null {
  return key === undefined ? null : { key, contentHash: sha256([endpoint, sortKeys(content())]) };
}

/** Like requestKey, for a request whose content is the same submissions with the same ids in the same order. */
export function submissionsKey(
  endpoint: string,
  key: string | undefined,
  submissions: readonly Submission[],
): IdempotencyKey | null {
  if (key === undefined) return null;
  const content = submissions.map((submission) => [submission.id ?? null, contentOf(submission)]);
  return { key, contentHash: sha256([endpoint, content]) };
}

/**
 * Equal for two submissions that ask for the same job, whatever the spelling and the key order of their JSON. Fields that
 * were added later count only if they are set, so that the hashes of older jobs stay valid.
 */
function contentOf({ payload, runAt, expiresAt, ...spec }: Submission): Json {
  const { type, maxRetries, priority, tags, limitKey, limitName, callbackUrl } = spec;
  const common = [type, sortKeys(payload), maxRetries, priority, runAt?.toISOString() ?? null];
  const added: JsonObject = {
    ...(tags?.length && { tags: [...tags].sort() }),
    ...(limitKey != null && { key: limitKey }),
    ...(limitName != null && { limit: limitName }),
    ...(expiresAt !== undefined && { expires_at: expiresAt.toISOString() }),
    ...(callbackUrl != null && { callback_url: callbackUrl }),
  };
  return Object.keys(added).length === 0 ? common : [...common, added];
}

function sha256(value: Json): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(JSON.stringify(value)).digest());
}

/** The payload validation bounds the depth. Objects become lists of pairs, so that no key has a special meaning. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return { object: keys.map((key) => [key, sortKeys(value[key] ?? null)]) };
}
