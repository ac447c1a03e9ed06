import type { LogKind } from '@jobline/contracts';

/**
 * Contains every sentence of the job log. Entries of attempts are stored as data and become sentences when they are
 * read.
 */

/** The data of an entry. */
export interface JobLogEntry {
  kind: LogKind;
  attempt: number;
  /**
   * For a note or a handler’s entry: its text. For an entry that ends an attempt: the error or the reason, if there is one.
   */
  message: string | null;
  /** Null if the entry does not end an attempt. */
  durationMs: number | null;
  nextAttemptAt: Date | null;
  errorCode: string | null;
}

/** Returns the sentence of an entry. */
export function jobLogMessage(entry: JobLogEntry): string {
  const { kind, attempt, durationMs, errorCode } = entry;
  const message = entry.message ?? '';
  if (kind === 'started') return `attempt ${attempt} started`;
  if (durationMs === null || errorCode === 'no_handler') return message;
  const next = entry.nextAttemptAt ? `; the next attempt is due at ${entry.nextAttemptAt.toISOString()}` : '';
  switch (kind) {
    case 'succeeded':
      return `attempt ${attempt} succeeded in ${durationMs} ms${message && `; ${message}`}`;
    case 'failed':
      return `attempt ${attempt} failed: ${message}${next || '; no attempt follows'}`;
    case 'released':
      return `attempt ${attempt} released: ${message}${next}`;
    case 'worker_lost':
      return `the worker died during attempt ${attempt}; ${
        message ? `${message}, no attempt follows` : 'the job is pending again'
      }`;
    case 'canceled':
      return `attempt ${attempt} canceled${message && `: ${message}`}`;
    default:
      return message;
  }
}

/** The errors and reasons that the engine writes for attempts. */
export const REASONS = {
  canceled: 'the job was canceled',
  expired: 'the job expired before its next attempt',
  workerDied: 'its worker died',
  workerStops: 'the worker is shutting down',
  leaseLost: 'the worker lost its lease',
  claimAnswerLost: 'the answer to its claim was lost',
  payloadUnread: 'its payload could not be read',
  errorRefused: 'its error message could not be stored',
  resultRefused: 'its result and last log entries could not be stored',
} as const;

export const noHandler = (type: string) => `no handler is registered for type "${type}"`;
/** Before and after the id of a job for which another one waited. */
export const WAITED_IN_VAIN = ['the job "', '", for which this job waited, did not meet its condition'] as const;
export const crashedTooOften = (workers: number) => `${workers} workers died while running this job`;

/** Entries of the kind `note`. */
export const NOTES = {
  cancelRequested: 'cancellation requested',
  retried: 'retried manually; all retries are available again',
  revived: 'pending again: a job for which it waits was retried or paid',
  changed: (names: readonly string[]) => `changed on request: ${names.join(', ')}`,
  saved: ({ name, bytes, contentType }: { name: string; bytes: Uint8Array; contentType: string }) =>
    `saved ${name}: ${bytes.length} bytes of ${contentType}`,
  isolated: (crashes: number) => `this job crashed ${crashes} workers; running it in an isolated process`,
  ignored: (fields: readonly string[]) => `ignored: ${fields.join(', ')}`,
  dropped: 'later log lines are missing: too many lines of this organization were waiting in the worker to be stored',
  truncated: (maxLines: number) => `the log of this attempt is cut after ${maxLines} entries`,
} as const;

/**
 * Returns text that Postgres can store, with at most `maxBytes` of UTF-8. U+0000 and unpaired surrogates become
 * U+FFFD.
 */
export function storableText(text: string, maxBytes: number): string {
  // A code unit has at most three bytes, so a slice of this length is always long enough.
  const well = text.slice(0, maxBytes).toWellFormed().replaceAll('\0', '\uFFFD');
  const bytes = Buffer.from(well);
  if (bytes.length <= maxBytes) return well;
  let end = maxBytes;
  // Do not cut a character: continuation bytes are 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
