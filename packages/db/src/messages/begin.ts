import type { Channel, JobKey, MessageStatus, OrgId } from '@jobline/contracts';
import type { Message } from '../generated/client.js';
import type { DbSession } from '../postgres/client.js';

/** A message that is about to be sent to its provider. */
export interface NewMessage {
  id: string;
  channel: Channel;
  provider: string;
  recipient: string;
  /** The recipient in the form that suppressions use. */
  address: string;
  sender: string | null;
  subject: string | null;
  body: string;
  segments: number | null;
}

/** What the sender of a message needs to know about it. */
export type OnRecord = Pick<Message, 'id' | 'status' | 'provider' | 'providerMessageId'>;

export type JobSend =
  /** Send it under this id. `unknown`: an earlier call had begun, and its result is unknown. */
  | { kind: 'begun'; id: string; unknown: boolean }
  /** Its provider has it already. */
  | { kind: 'sent'; message: OnRecord }
  | { kind: 'suppressed' }
  /** Another run has claimed the job. */
  | { kind: 'lost' };

/**
 * Writes the message of a job, or finds that of an earlier attempt, and claims the right to call the provider. Only the
 * job's current attempt gets the right, so that a worker that was declared dead sends nothing while another one runs
 * the job.
 */
export async function beginJobSend(
  db: DbSession,
  orgId: OrgId,
  job: { key: JobKey; attempt: number },
  message: NewMessage,
): Promise<JobSend> {
  const { id, channel, provider, recipient, address, sender, subject, body, segments } = message;
  const rows = await db.$queryRaw<Begun[]>`
    WITH t AS (SELECT date_trunc('milliseconds', clock_timestamp()) AS now),
    held AS MATERIALIZED (
      SELECT key FROM live_jobs
      WHERE key = ${job.key}::uuid AND org_id = ${orgId}::uuid AND attempt = ${job.attempt} AND status::text = 'processing'
      FOR SHARE),
    earlier AS MATERIALIZED (
      SELECT id, status::text AS status, provider, provider_message_id, sent_at, calling
      FROM messages WHERE job_key = ${job.key}::uuid AND org_id = ${orgId}::uuid),
    suppressed AS MATERIALIZED (
      SELECT 1 FROM suppressions WHERE org_id = ${orgId}::uuid AND address = ${address}),
    begun AS (
      INSERT INTO messages AS m (id, org_id, channel, status, provider, recipient, sender, subject, body, segments,
        job_key, calling, called_at, created_at, updated_at)
      SELECT ${id}::uuid, ${orgId}::uuid, ${channel}::message_channel, 'queued', ${provider}, ${recipient}, ${sender},
        ${subject}, ${body}, ${segments}::int, held.key, ${job.attempt}, t.now, t.now, t.now
      FROM held, t WHERE NOT EXISTS (SELECT FROM suppressed)
      ON CONFLICT (job_key) DO UPDATE SET status = 'queued', provider = excluded.provider, recipient = excluded.recipient,
        sender = excluded.sender, subject = excluded.subject, body = excluded.body, segments = excluded.segments,
        calling = excluded.calling, called_at = excluded.called_at, updated_at = excluded.updated_at,
        error_code = NULL, error_message = NULL
      WHERE m.sent_at IS NULL AND coalesce(m.calling < excluded.calling, true)
      RETURNING m.id)
    SELECT EXISTS (SELECT FROM held) AS "isHeld", EXISTS (SELECT FROM suppressed) AS "isSuppressed",
      begun.id AS "begunId", earlier.id, earlier.status, earlier.provider,
      earlier.provider_message_id AS "providerMessageId", earlier.sent_at IS NOT NULL AS "isSent", earlier.calling
    FROM t LEFT JOIN begun ON true LEFT JOIN earlier ON true`;
  return toJobSend(rows[0]);
}

interface Begun {
  isHeld: boolean;
  isSuppressed: boolean;
  begunId: string | null;
  id: string | null;
  status: MessageStatus | null;
  provider: string | null;
  providerMessageId: string | null;
  isSent: boolean;
  calling: number | null;
}

function toJobSend(row: Begun | undefined): JobSend {
  if (!row?.isHeld) return { kind: 'lost' };
  const { id, status, provider, providerMessageId } = row;
  if (row.isSent && id !== null && status !== null && provider !== null) {
    return { kind: 'sent', message: { id, status, provider, providerMessageId } };
  }
  if (row.isSuppressed) return { kind: 'suppressed' };
  return row.begunId === null ? { kind: 'lost' } : { kind: 'begun', id: row.begunId, unknown: row.calling !== null };
}
