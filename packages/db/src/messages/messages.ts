import {
  type Channel,
  type CopyKind,
  EMAIL_STATUSES,
  type MessageStatus,
  type OrgId,
  SMS_STATUSES,
} from '@jobline/contracts';
import { type MessageEvent, Prisma, type Suppression } from '../generated/client.js';
import { SEARCHED_BYTES, SEARCHED_PAGE_BYTES, shownColumn } from '../jobs/redaction.js';
import type { Db, DbSession } from '../postgres/client.js';
import { PAGE_BYTES, type Page, type PageRequest, readPage, toShortPage, upperBound } from '../postgres/page.js';

/** The columns of a message in lists. */
export interface MessageRow {
  id: string;
  status: MessageStatus;
  provider: string;
  providerMessageId: string | null;
  recipient: string;
  sender: string | null;
  subject: string | null;
  /** Null in lists of emails, whose texts may be long, and if its job was deleted on request. */
  body: string | null;
  /** Null: it is no copy of an email. */
  copiedAs: CopyKind | null;
  segments: number | null;
  /** The caller's id of the job that sends the message. */
  jobId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** SQL: the key of the job that sends the message `m`. */
export const JOB_OF = Prisma.sql`coalesce(m.job_key, (SELECT o.job_key FROM messages o WHERE o.id = m.copy_of))`;

/** SQL: the columns of the message `m`, whose job is `j` and has the redacted keys `r`. */
const COLUMNS = Prisma.sql`m.id, m.status, m.provider, m.provider_message_id AS "providerMessageId",
  ${shownColumn('recipient')} AS recipient, ${shownColumn('sender')} AS sender, ${shownColumn('subject')} AS subject,
  ${shownColumn('body')} AS body, m.copied_as AS "copiedAs", m.segments, j.id AS "jobId", m.error_code AS "errorCode", m.error_message AS "errorMessage",
  m.created_at AS "createdAt", m.updated_at AS "updatedAt"`;

/** A provider's report about the message. */
export type MessageEventRow = Pick<MessageEvent, 'kind' | 'status' | 'reason' | 'occurredAt' | 'receivedAt'>;

export interface MessageDetailRow extends MessageRow {
  /** The name of the template of the organization that it was made from; null: none, or it is redacted. */
  template: string | null;
  events: MessageEventRow[];
}

/** The highest number of events of one message that is returned. */
const MAX_EVENTS = 200;

export interface MessageFilter extends PageRequest {
  status?: MessageStatus | undefined;
  /** The forms that the recipient may have, in lower case. A recipient that is redacted is not found. */
  recipients?: readonly string[] | undefined;
  /** The caller's id of the job that sends the messages. */
  jobId?: string | undefined;
  /** Whether a subject matches. A subject that is redacted is not found. */
  matches?: ((subject: string) => boolean) | undefined;
  /** Inclusive. */
  createdAfter?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
}

/** The highest number of messages whose subjects one page compares. */
const MAX_COMPARED = 1_000;

/**
 * A page of an organization's messages, newest first. As with jobs, it merges one index range per status. It ends early if its texts
 * are large, if messages on it are redacted that a filter does not find, or if it has compared as many subjects as it may: so it may have
 * fewer messages than `limit` although another page follows.
 */
export async function listMessages(
  db: Db,
  orgId: OrgId,
  channel: Channel,
  filter: MessageFilter,
): Promise<Page<MessageRow>> {
  const { matches, limit } = filter;
  const source = selectFrom(orgId, channel, filter);
  if (!matches) return readMessages(db, orgId, source(limit + 1), filter);
  const compared = await db.$queryRaw<{ id: string; createdAt: Date; subject: string | null }[]>`
    SELECT id, created_at AS "createdAt", subject FROM (${source(MAX_COMPARED)}) AS m`;
  const ids = compared.filter(({ subject }) => subject !== null && matches(subject)).map(({ id }) => id);
  const last = compared.length === MAX_COMPARED ? compared.at(-1) : undefined;
  const rest = last ? { createdAt: last.createdAt, id: last.id } : null;
  if (ids.length === 0) return { items: [], next: rest };
  const found = Prisma.sql`SELECT * FROM messages WHERE id = ANY (${ids.slice(0, limit + 1)}::uuid[])`;
  const page = await readMessages(db, orgId, found, filter);
  return { ...page, next: page.next ?? (ids.length > limit ? null : rest) };
}

/** SQL: the first messages of the filter, but for its subjects. Each of the ranges that it merges has an index. */
function selectFrom(
  orgId: OrgId,
  channel: Channel,
  { status, recipients, jobId, cursor, createdAfter, createdBefore }: MessageFilter,
): (wanted: number) => Prisma.Sql {
  const statuses = status ? [status] : channel === 'email' ? EMAIL_STATUSES : SMS_STATUSES;
  const own = Prisma.sql`org_id = ${orgId}::uuid AND channel = ${channel}::message_channel`;
  const below = upperBound(cursor, createdBefore);
  const job = Prisma.sql`(SELECT key FROM submitted_jobs WHERE org_id = ${orgId}::uuid AND id = ${jobId ?? ''})`;
  const ofJob = Prisma.sql`(job_key = ${job} OR copy_of = (SELECT o.id FROM messages o WHERE o.job_key = ${job}))`;
  const ranges = statuses.flatMap((one) => {
    const ofStatus = Prisma.sql`${own} AND status = ${one}::message_status`;
    if (!recipients) return [ofStatus];
    return recipients.map((recipient) => Prisma.sql`${ofStatus} AND lower(recipient) = lower(${recipient})`);
  });
  return (wanted) => {
    const newest = Prisma.sql`ORDER BY created_at DESC, id DESC LIMIT ${wanted}::int`;
    const parts = ranges.map(
      (range) => Prisma.sql`
        (SELECT * FROM messages WHERE ${range} ${jobId === undefined ? Prisma.empty : Prisma.sql`AND ${ofJob}`}
          AND created_at >= ${createdAfter?.toISOString() ?? '-infinity'}::timestamptz
          AND (created_at, id) < (${below.at}::timestamptz, ${below.id}::uuid) ${newest})`,
    );
    return Prisma.sql`SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) AS m ${newest}`;
  };
}

/** The page of the messages that a statement selects, which are one more than `limit` if another page follows. */
async function readMessages(
  db: Db,
  orgId: OrgId,
  source: Prisma.Sql,
  { limit, recipients, matches }: MessageFilter,
): Promise<Page<MessageRow>> {
  const rows = await db.$queryRaw<(MessageRow & { found: number; isHidden: boolean })[]>`
    WITH page AS MATERIALIZED (SELECT * FROM (
      SELECT *, count(*) OVER ()::int AS found, sum(bytes) OVER (ORDER BY created_at DESC, id DESC) - bytes AS bytes_before
      FROM (
        SELECT id, org_id, status, provider, provider_message_id, recipient, sender, subject, p.body, copied_as, segments,
          ${JOB_OF} AS job_key, error_code, error_message, created_at, updated_at, coalesce(octet_length(p.body), 0) AS bytes
        FROM (${source}) AS m CROSS JOIN LATERAL (SELECT CASE WHEN channel::text <> 'email' THEN m.body END AS body) AS p) AS m) AS m
      WHERE m.bytes_before < ${PAGE_BYTES})
    SELECT ${COLUMNS}, m.found,
      ${recipients !== undefined}::bool AND ${shownColumn('recipient')} <> m.recipient
        OR ${matches !== undefined}::bool AND ${shownColumn('subject')} <> m.subject AS "isHidden"
    FROM page m
    LEFT JOIN submitted_jobs j ON j.key = m.job_key AND j.org_id = m.org_id
    -- Most organizations redact nothing.
    LEFT JOIN (
      SELECT * FROM redacted_keys_of(${orgId}::uuid, (
          SELECT array_agg(job_key ORDER BY created_at DESC, id DESC)
          FROM (SELECT DISTINCT ON (job_key) job_key, created_at, id FROM page) AS jobs),
        ${SEARCHED_BYTES}::int, ${SEARCHED_PAGE_BYTES}::int)
      WHERE EXISTS (SELECT 1 FROM organization_settings WHERE org_id = ${orgId}::uuid AND redact_keys <> '{}')) AS r
      ON r.job_key = m.job_key
    ORDER BY m.created_at DESC, m.id DESC`;
  const { items, next } = toShortPage(rows, limit);
  return { items: items.flatMap(({ isHidden, ...row }) => (isHidden ? [] : [row])), next };
}

/** An organization's message with its text and its events in the order of arrival, or null. */
export async function findMessage(
  db: Db,
  orgId: OrgId,
  channel: Channel,
  id: string,
): Promise<MessageDetailRow | null> {
  const rows = await db.$queryRaw<Omit<MessageDetailRow, 'events'>[]>`
    SELECT ${COLUMNS}, CASE WHEN r.keys IS NULL OR NOT EXISTS (
        SELECT 1 FROM organization_settings WHERE org_id = m.org_id AND 'template' = ANY (redact_keys)) THEN m.template END AS template FROM (
        SELECT m.id, m.org_id, m.status, m.provider, m.provider_message_id, m.recipient, m.sender, m.subject,
          coalesce(o.body, m.body) AS body, coalesce(o.template, m.template) AS template, m.copied_as, m.segments, coalesce(o.job_key, m.job_key) AS job_key,
          m.error_code, m.error_message, m.created_at, m.updated_at
        FROM messages m LEFT JOIN messages o ON o.id = m.copy_of
        WHERE m.id = ${id}::uuid AND m.org_id = ${orgId}::uuid AND m.channel = ${channel}::message_channel) AS m
      LEFT JOIN submitted_jobs j ON j.key = m.job_key AND j.org_id = m.org_id
      CROSS JOIN LATERAL (SELECT redacted_keys(m.org_id, m.job_key) AS keys OFFSET 0) AS r`;
  if (!rows[0]) return null;
  const events = await db.$queryRaw<MessageEventRow[]>`
    SELECT kind, status, reason, occurred_at AS "occurredAt", received_at AS "receivedAt"
    FROM message_events WHERE message_id = ${id}::uuid ORDER BY id LIMIT ${MAX_EVENTS}`;
  return { ...rows[0], events };
}

export type SuppressionRow = Pick<Suppression, 'id' | 'address' | 'reason' | 'createdAt'>;

/** A page of the addresses to which an organization sends nothing, newest first. `forms`: those of one address, in lower case. */
export function listSuppressions(
  db: DbSession,
  orgId: OrgId,
  page: PageRequest,
  forms?: readonly string[],
): Promise<Page<SuppressionRow>> {
  const select = Prisma.sql`
    SELECT id, address, reason, created_at AS "createdAt"
    FROM suppressions WHERE org_id = ${orgId}::uuid ${forms ? Prisma.sql`AND address = ANY (${forms}::text[])` : Prisma.empty}`;
  return readPage(db, page, select);
}
