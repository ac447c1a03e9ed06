import type { Json, JsonObject } from '@jobline/contracts';
import { type Db, listReferred, readResult, setAbouts, untilPostgresAnswers } from '@jobline/db';
import { PermanentError, pathText } from '@jobline/handlers';
import { createFairLimiter } from '@jobline/runtime';
import { aboutTexts } from '../submit/abouts.js';
import { payloadShapeIssues } from '../submit/check-payload.js';
import { type Reference, readReferences, resolve, valueAt } from '../submit/references.js';
import { isJsonObject } from '../submit/validate.js';
import type { Attempt } from './runs.js';

/**
 * The payload of an attempt with the values to which it refers. Throws PermanentError `invalid_payload`, with the place in the
 * payload, if there is none, or if the payload would be too large or too deep.
 */
export type ResolveReferences = (attempt: Attempt, payload: JsonObject) => Promise<JsonObject>;

/** The usual limit of a payload as JSON: the default of MAX_BODY_BYTES. */
const MAX_BYTES = 1024 * 1024;
/** JSON of payloads and results that is read at the same time, in bytes, and of one organization. Organizations take turns. */
const CAPACITY = { capacity: 4 * MAX_BYTES, weightPerOwner: 2 * MAX_BYTES };

export function createResolveReferences(db: Db): ResolveReferences {
  const limiter = createFairLimiter(CAPACITY);
  return async ({ claim, stop }, payload) => {
    const signal = stop.signal();
    const sources = await untilPostgresAnswers(() => listReferred(db, claim.key), { signal });
    const weight = Math.min(
      CAPACITY.weightPerOwner,
      Math.max(0, ...sources.map(({ bytes }) => bytes)) + claim.payloadBytes,
    );
    const release = await limiter.take({ owner: claim.orgId, weight, signal });
    try {
      const ids = sources.map(({ id }) => id);
      const { references } = readReferences('payload', payload, ids);
      const values = new Map<string, Json>();
      let left = bytesLeft(claim.payloadBytes);
      const count = (reference: Reference, value: Json): Json => {
        left -= JSON.stringify(value).length;
        if (left < 0) throw invalid(reference, 'the payload would be larger than a payload may be');
        return value;
      };
      for (const { key, id } of sources) {
        // One result after the other: only parts of them may be needed.
        const text = await untilPostgresAnswers(() => readResult(db, key), { signal });
        if (text === null) continue;
        const result = JSON.parse(text) as Json; // stored as JSON
        for (const reference of references) {
          if (reference.from !== id || values.has(nameOf(reference))) continue;
          const value = valueAt(result, reference.pointer);
          if (value !== undefined) values.set(nameOf(reference), count(reference, value));
        }
      }
      left = bytesLeft(claim.payloadBytes);
      const resolved = resolve(payload, (reference) => {
        const value = values.get(nameOf(reference));
        if (value === undefined) throw invalid(reference, missing(reference));
        return count(reference, value);
      });
      if (!isJsonObject(resolved)) throw new PermanentError('payload: must be an object', { code: 'invalid_payload' });
      const [issue] = payloadShapeIssues('payload', resolved);
      if (issue) throw new PermanentError(`${issue.path}: ${issue.message}`, { code: 'invalid_payload' });
      const abouts = aboutTexts(claim.type, resolved);
      if (abouts) await untilPostgresAnswers(() => setAbouts(db, claim.key, abouts), { signal });
      return resolved;
    } finally {
      release();
    }
  };
}

/** How large the values may be together. A payload that is larger than usual shows that the installation allows such payloads. */
function bytesLeft(payloadBytes: number): number {
  return payloadBytes < MAX_BYTES ? MAX_BYTES - payloadBytes : MAX_BYTES;
}

function nameOf({ from, pointer }: Reference): string {
  return `${from} ${pointer ?? ''}`;
}

function missing({ from, pointer }: Reference): string {
  return pointer ? `the result of job "${from}" has no value at "${pointer}"` : `job "${from}" has no result`;
}

function invalid({ path }: Reference, message: string): PermanentError {
  return new PermanentError(`${pathText(['payload', ...path])}: ${message}`, { code: 'invalid_payload' });
}
