import type { JobKey, OrgId } from '@jobline/contracts';
import type { Enqueueable } from '@jobline/db/job-transitions';

/** Identifies an entry of a queue. */
export interface EntryRef {
  queue: string;
  id: string;
}

/** What the entries of a queue differ in for their deliveries. */
export interface EntryKind {
  /** Whether it comes after all entries of its queue that have normal priority. */
  isLowPriority?: boolean;
  /** The lane of its job, which was held when the entry was added: its claim begins with the limits. */
  lane?: string | null;
  /** The entry is a ticket and carries no job. */
  ticket?: TicketData | null;
  /** Whether the submission of this held job added it: if the job cannot start now, the entry is dropped, and the dispatcher decides. */
  isDirect?: boolean;
}

/** What the delivery of an entry needs to know of it. */
export type DeliveredEntry = EntryKind & Pick<EntryRef, 'queue'>;

/** An entry to add, with the delay until it may be delivered. */
export interface Entry extends EntryRef, EntryKind {
  /** Its job; null: it is a ticket. */
  key: JobKey | null;
  delayMs: number;
}

/** Returns the entry that carries one job. */
export function entryOf({ key, queue, seq }: Enqueueable, options: EntryKind & { delayMs?: number } = {}): Entry {
  return { queue, id: entryId(key, seq), key, delayMs: 0, ...options };
}

/** A ticket: the worker that takes it claims the next waiting jobs of an organization. */
export interface TicketData {
  orgId: OrgId;
  /** How many at most. */
  count: number;
  /** How many of them may run at the same time on one worker. Absent: all. */
  share?: number;
}

/** Returns the entry of a ticket. No other ticket of the organization has the same `n`. Version 0.1 takes its id for that of a job that does not exist. */
export function ticketOf(
  queue: string,
  ticket: TicketData,
  { n, isLowPriority }: { n: number | string; isLowPriority: boolean },
): Entry {
  return { queue, id: `${ticket.orgId}-t${n}`, key: null, ticket, delayMs: 0, isLowPriority };
}

/** The name of every entry. */
export const ENTRY_NAME = 'job';

/**
 * Returns the id of the entry of one job: `<key>-<n>`. BullMQ ignores an add whose id it still remembers, so each add of
 * a job has its own id.
 */
export function entryId(key: JobKey, seq: number): string {
  return `${key}-${seq}`;
}

/** Returns the id of an entry of a held job: `<key>-c<n>`. Its adds do not change the row, so each has a number of its own. */
export function chunkEntryId(key: JobKey, n: number): string {
  return `${key}-c${n}`;
}

/** Returns the key of the job of an entry. */
export function keyOfEntry(id: string): JobKey {
  // The cast: only the functions above make these ids.
  return id.slice(0, id.lastIndexOf('-')) as JobKey;
}
