import type { JobKey, MessageStatus, OrgId } from '@jobline/contracts';
import { type Message, Prisma } from '../generated/client.js';
import { type IdempotencyKey, insertKey, isSameContent } from '../idempotency.js';
import type { Db, DbSession } from '../postgres/client.js';
import { claimCopies, writeCopies } from './copies.js';
import { applyEvents } from './feedback.js';
import { JOB_OF } from './messages.js';
import type { NewCopy, NewMessage, OnRecord } from './new-message.js';

export type JobSend =
  /** Send it under this id. `unknown`: an earlier call had begun, and its result is unknown. `sentCopy`: the provider has this copy. */
  | { kind: 'begun'; id: string; unknown: boolean; sentCopy: OnRecord | null }
  /** Its provider has it already. It is not known to have or to refuse the copies with these ids. */
  | { kind: 'sent'; message: OnRecord; openCopies: string[] }
  | { kind: 'suppressed' }
  /** Another run has claimed the job. */
  | { kind: 'lost' };

/**
 * Writes the message of a job with its copies, or finds those of an earlier attempt, and claims the right to call the provider.
 * Only the job's current attempt gets the right, so that a worker that was declared dead sends nothing while another one runs
 * the job.
 */
export async function beginJobSend(
  db: Db,
  orgId: OrgId,
  job: { key: JobKey; attempt: number },
  message: NewMessage,
  copies: readonly NewCopy[],
): Promise<JobSend> {
  if (copies.length === 0) return beginMessage(db, orgId, job, message);
  return db.$transaction(async (tx) => {
    const begun = await beginMessage(tx, orgId, job, message);
    if (begun.kind === 'sent') return { ...begun, openCopies: await claimCopies(tx, begun.message.id, job.attempt) };
    if (begun.kind !== 'begun') return begun;
    return { ...begun, sentCopy: await writeCopies(tx, begun.id, copies) };
  });
}

async function beginMessage(
  db: DbSession,
  orgId: OrgId,
  job: { key: JobKey; attempt: number },
  message: NewMessage,
): Promise<JobSend> {
  const { id, channel, provider, recipient, addresses, sender, subject, template, body, segments } = message;
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
      SELECT 1 FROM suppressions WHERE org_id = ${orgId}::uuid AND address = ANY (suppressed_as(${orgId}::uuid, ${addresses}::text[]))),
    begun AS (
      INSERT INTO messages AS m (id, org_id, channel, status, provider, recipient, sender, subject, template, body, segments,
        job_key, calling, called_at, created_at, updated_at)
      SELECT ${id}::uuid, ${orgId}::uuid, ${channel}::message_channel, 'queued', ${provider}, ${recipient}, ${sender},
        ${subject}, ${template}, ${body}, ${segments}::int, held.key, ${job.attempt}, t.now, t.now, t.now
      FROM held, t WHERE NOT EXISTS (SELECT FROM suppressed)
      ON CONFLICT (job_key) DO UPDATE SET status = 'queued', provider = excluded.provider, recipient = excluded.recipient,
        sender = excluded.sender, subject = excluded.subject, template = excluded.template, body = excluded.body, segments = excluded.segments,
        calling = excluded.calling, called_at = excluded.called_at, updated_at = excluded.updated_at,
        error_code = NULL, error_message = NULL
      WHERE m.sent_at IS NULL AND coalesce(m.calling < excluded.calling, true)
      RETURNING m.id),
    -- The payload may have changed since an earlier attempt.
    outdated AS (DELETE FROM messages c USING begun WHERE c.copy_of = begun.id AND c.sent_at IS NULL)
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
    return { kind: 'sent', message: { id, status, provider, providerMessageId }, openCopies: [] };
  }
  if (row.isSuppressed) return { kind: 'suppressed' };
  if (row.begunId === null) return { kind: 'lost' };
  return { kind: 'begun', id: row.begunId, unknown: row.calling !== null, sentCopy: null };
}

type DirectSend =
  | { kind: 'begun' }
  | { kind: 'suppressed' }
  /** The key was used for a different request. */
  | { kind: 'reused' }
  /** The message of the key was erased. */
  | { kind: 'erased'; id: string }
  /** The key already stands for a message. */
  | { kind: 'used'; message: UsedMessage }
  /** The key has just become free: try again. */
  | { kind: 'freed' };

/** The message of an earlier request with the same key. */
interface UsedMessage extends OnRecord, Pick<Message, 'recipient' | 'sender' | 'subject' | 'segments'> {
  /** Whether its provider has the message. */
  isSent: boolean;
  /** How long the call to its provider has been running; null: there is no call. */
  callingForMs: number | null;
}

/** The value of `calling` for messages without attempts. */
export const DIRECT_CALL = 1;

/**
 * Writes a message that no job sends with its copies, and uses the key in the same statement. This happens before the provider is
 * called, so that no crash leaves a call that its key does not know of. Waits for the commit of a concurrent duplicate,
 * not for its call.
 */
export async function beginDirectSend(
  db: Db,
  orgId: OrgId,
  message: NewMessage,
  copies: readonly NewCopy[],
  once: IdempotencyKey | null,
): Promise<DirectSend> {
  if (copies.length === 0) return beginDirectMessage(db, orgId, message, once);
  return db.$transaction(async (tx) => {
    const begun = await beginDirectMessage(tx, orgId, message, once);
    if (begun.kind === 'begun') await writeCopies(tx, message.id, copies);
    return begun;
  });
}

async function beginDirectMessage(
  db: DbSession,
  orgId: OrgId,
  message: NewMessage,
  once: IdempotencyKey | null,
): Promise<DirectSend> {
  const { id, channel, provider, recipient, addresses, sender, subject, template, body, segments } = message;
  const use = { answer: [], messageId: id };
  const rows = await db.$queryRaw<{ isSuppressed: boolean; isBegun: boolean }[]>`
    WITH t AS (SELECT date_trunc('milliseconds', now()) AS now),
    suppressed AS MATERIALIZED (
      SELECT 1 FROM suppressions WHERE org_id = ${orgId}::uuid AND address = ANY (suppressed_as(${orgId}::uuid, ${addresses}::text[]))),
    used AS (
      ${insertKey(orgId, once, use, Prisma.sql`WHERE ${once !== null} AND NOT EXISTS (SELECT FROM suppressed)`)}
      RETURNING message_id),
    begun AS (
      INSERT INTO messages (id, org_id, channel, status, provider, recipient, sender, subject, template, body, segments,
        calling, called_at, created_at, updated_at)
      SELECT ${id}::uuid, ${orgId}::uuid, ${channel}::message_channel, 'queued', ${provider}, ${recipient}, ${sender},
        ${subject}, ${template}, ${body}, ${segments}::int, ${DIRECT_CALL}::int, t.now, t.now, t.now
      FROM t WHERE NOT EXISTS (SELECT FROM suppressed) AND (${once === null} OR EXISTS (SELECT FROM used))
      RETURNING id)
    SELECT EXISTS (SELECT FROM suppressed) AS "isSuppressed", EXISTS (SELECT FROM begun) AS "isBegun"`;
  if (rows[0]?.isBegun) return { kind: 'begun' };
  const used = once && (await readUsed(db, orgId, once));
  if (used) return used;
  return rows[0]?.isSuppressed ? { kind: 'suppressed' } : { kind: 'freed' };
}

async function readUsed(db: DbSession, orgId: OrgId, once: IdempotencyKey): Promise<DirectSend | null> {
  const rows = await db.$queryRaw<
    ({ contentHash: Uint8Array; isKept: boolean; erasedId: string | null } & UsedMessage)[]
  >`
    SELECT k.content_hash AS "contentHash", (
        SELECT k.message_id FROM erased_hashes WHERE hash = keyed_hash('message:' || k.message_id)) AS "erasedId", m.id IS NOT NULL AS "isKept", m.id, m.status::text AS status, m.provider,
      m.provider_message_id AS "providerMessageId", m.recipient, m.sender, m.subject, m.segments,
      m.sent_at IS NOT NULL AS "isSent",
      CASE WHEN m.calling IS NOT NULL
        THEN (extract(epoch FROM clock_timestamp() - m.called_at) * 1000)::float8 END AS "callingForMs"
    FROM idempotency_keys k LEFT JOIN messages m ON m.id = k.message_id AND m.org_id = k.org_id
    WHERE k.org_id = ${orgId}::uuid AND k.key = ${once.key}`;
  const [row] = rows;
  if (!row) return null;
  const { contentHash, isKept, erasedId, ...message } = row;
  if (!isSameContent(contentHash, once.contentHash)) return { kind: 'reused' };
  if (isKept) return { kind: 'used', message };
  if (erasedId !== null) return { kind: 'erased', id: erasedId };
  // The message is so old that it was deleted, and the key is about to be.
  await db.idempotencyKey.deleteMany({ where: { orgId, key: once.key, contentHash: once.contentHash } });
  return { kind: 'freed' };
}

/** The call to a provider that an outcome belongs to. */
export interface ProviderCall {
  id: string;
  /** The value of the column `calling`: the attempt for the message of a job, else 1. */
  calling: number;
  /** The key of the request that makes the call. */
  idempotencyKey?: string | undefined;
}

/** How a call failed. */
export interface CallFailure {
  /** `unknown`: it is not known whether the provider has the message. */
  kind: 'refused' | 'unknown';
  code: string;
  message: string;
}

/**
 * The provider has the message and its copies, except some: queued → sent, unless feedback has raised the status further.
 * Feedback that arrived before the provider's id was stored is applied. Null: the job's next attempt has begun its own call
 * meanwhile, and nothing was written.
 */
export async function recordSent(
  db: DbSession,
  { id, calling }: ProviderCall,
  providerMessageId: string | null,
  except: readonly string[] = [],
): Promise<OnRecord | null> {
  const rows = await db.$queryRaw<OnRecord[]>`
    UPDATE messages m SET status = greatest(status, 'sent'), calling = NULL,
      provider_message_id = coalesce(${providerMessageId}, provider_message_id),
      error_code = CASE WHEN sent_at IS NULL THEN NULL ELSE error_code END,
      error_message = CASE WHEN sent_at IS NULL THEN NULL ELSE error_message END,
      sent_at = coalesce(sent_at, date_trunc('milliseconds', clock_timestamp())),
      updated_at = date_trunc('milliseconds', clock_timestamp())
    WHERE (id = ${id}::uuid OR copy_of = ${id}::uuid) AND id <> ALL (${except}::uuid[])
      AND (calling = ${calling} OR ${JOB_OF} IS NULL)
    RETURNING id, status::text AS status, provider, provider_message_id AS "providerMessageId"`;
  const message = rows.find((row) => row.id === id);
  if (!message || providerMessageId === null) return message ?? null;
  // A separate, later statement: feedback that is written meanwhile is either seen here, or sees the id.
  const early = await db.$queryRaw<{ eventId: string }[]>`
    SELECT event_id AS "eventId" FROM message_events
    WHERE provider = ${message.provider} AND provider_message_id = ${providerMessageId} AND message_id IS NULL`;
  if (early.length === 0) return message;
  const eventIds = early.map(({ eventId }) => eventId);
  await applyEvents(db, message.provider, eventIds);
  const [raised] = await db.$queryRaw<OnRecord[]>`
    SELECT id, status::text AS status, provider, provider_message_id AS "providerMessageId"
    FROM messages WHERE id = ${id}::uuid`;
  return raised ?? message;
}

/**
 * The call failed. A refused call makes the message and its copies `failed` until another call begins, and frees the idempotency
 * key of its request. An unknown outcome leaves the status, and is stored as its error. Feedback has priority: a message
 * that its provider has is not changed. Returns the message if its provider has it after all.
 */
export async function recordFailure(
  db: DbSession,
  { id, calling, idempotencyKey }: ProviderCall,
  { kind, code, message }: CallFailure,
): Promise<OnRecord | null> {
  const rows = await db.$queryRaw<(OnRecord & { isSent: boolean })[]>`
    WITH f AS (
      UPDATE messages SET calling = NULL, updated_at = date_trunc('milliseconds', clock_timestamp()),
        status = CASE WHEN sent_at IS NULL AND ${kind} = 'refused' THEN 'failed' ELSE status END,
        error_code = CASE WHEN sent_at IS NULL THEN ${code} ELSE error_code END,
        error_message = CASE WHEN sent_at IS NULL THEN ${message} ELSE error_message END
      WHERE (id = ${id}::uuid OR copy_of = ${id}::uuid) AND calling = ${calling}
      RETURNING id, org_id, status::text AS status, provider, provider_message_id, sent_at),
    freed AS (
      DELETE FROM idempotency_keys k USING f
      WHERE k.org_id = f.org_id AND k.key = ${idempotencyKey ?? null} AND k.message_id = f.id AND f.sent_at IS NULL
        AND ${kind} = 'refused')
    SELECT id, status, provider, provider_message_id AS "providerMessageId", sent_at IS NOT NULL AS "isSent" FROM f`;
  const row = rows.find((one) => one.id === id);
  if (!row?.isSent) return null;
  const { isSent: _, ...onRecord } = row;
  return onRecord;
}
