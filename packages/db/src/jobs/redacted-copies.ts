import { REDACTED } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';

/** The keys of payloads that become the columns of a message. */
const SOURCES = { recipient: ['to'], sender: ['from'], subject: ['subject'], body: ['body', 'message'] } as const;

type MessageColumn = keyof typeof SOURCES;

/** SQL: a column of the message `m`, redacted if one of the keys of `r` is its source. */
export function shownColumn(column: MessageColumn): Prisma.Sql {
  const value = Prisma.raw(`m.${column}`);
  return Prisma.sql`CASE WHEN r.keys && ${SOURCES[column]}::text[] AND ${value} IS NOT NULL THEN ${REDACTED} ELSE ${value} END`;
}

/** SQL: the events `e` that have values of the payload of their job. The words of the index of events by job. */
export const HAS_VALUES = Prisma.sql`(e.type LIKE 'message.%' OR e.type LIKE 'payment.%')`;

/** SQL: redacts the events about the messages and payments of the jobs of `r`. */
export const REDACT_EVENTS = Prisma.sql`
  UPDATE webhook_events e SET data = redact_event(e.data, r.keys)
  FROM r WHERE r.keys IS NOT NULL AND e.job_key = r.key AND ${HAS_VALUES}`;

/** Where a statement has many jobs, larger payloads are not searched for redacted keys: they count as having all of them. */
export const SEARCHED_BYTES = 16 * 1024;

/**
 * SQL: the redacted keys of the jobs of the CTE `gone`, also of jobs that finished too recently: after their deletion, the end of a
 * job is not known any more.
 */
export const KEYS_OF_GONE = Prisma.sql`
  SELECT gone.key, keys_to_redact(b.payload, o.redact_keys, ${SEARCHED_BYTES}::int) AS keys
  FROM gone JOIN organization_settings o ON o.org_id = gone.org_id AND o.redact_keys <> '{}'
    CROSS JOIN LATERAL (SELECT payload FROM submitted_jobs WHERE key = gone.key OFFSET 0) AS b`;
