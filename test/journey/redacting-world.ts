import type { JobKey, OrgId } from '@jobline/contracts';
import { createWorld, type Person, register, type World } from '../harness/index.js';

/** An organization with jobs that have finished, for tests of redaction. */
export interface RedactingWorld extends World {
  person: Person;
  orgId: OrgId;
  redact(payloadKeys: string[], afterDays?: number): Promise<void>;
  /** Failed jobs that finished so long ago, a millisecond apart. */
  endedJobs(payloads: readonly object[], hoursAgo?: number): Promise<JobKey[]>;
  /** The stored payloads, in the order in which the jobs finished. */
  storedPayloads(): Promise<unknown[]>;
  countRedacted(): Promise<number>;
}

export async function createRedactingWorld(): Promise<RedactingWorld> {
  const world = await createWorld();
  const { db } = world;
  const person = await register((await world.api()).call);
  // The cast: the API returned it as an organization's id.
  const orgId = person.orgId as OrgId;
  return {
    ...world,
    person,
    orgId,
    async redact(payloadKeys, afterDays = 0) {
      await person.patch('/org/settings', { redact: { payload_keys: payloadKeys, after_days: afterDays } });
    },
    async endedJobs(payloads, hoursAgo = 1) {
      const rows = await db.$queryRaw<{ key: JobKey }[]>`
        INSERT INTO jobs (key, org_id, id, type, queue, payload, status, attempt, error_code, run_at, created_at, updated_at, finished_at)
        SELECT gen_random_uuid(), ${orgId}::uuid, 'job-' || n, 'custom', 'io', payload::json, 'failed', 1, 'handler_error', now(), now(), now(),
          now() - ${hoursAgo}::float8 * interval '1 hour' + n * interval '1 ms'
        FROM unnest(${payloads.map((payload) => JSON.stringify(payload))}::text[]) WITH ORDINALITY AS p(payload, n) ORDER BY n
        RETURNING key`;
      return rows.map(({ key }) => key);
    },
    async storedPayloads() {
      const rows = await db.$queryRaw<{ payload: string }[]>`
        SELECT payload::text AS payload FROM jobs WHERE org_id = ${orgId}::uuid ORDER BY finished_at`;
      return rows.map(({ payload }) => JSON.parse(payload));
    },
    countRedacted: () => db.job.count({ where: { orgId, redactedAt: { not: null } } }),
  };
}
