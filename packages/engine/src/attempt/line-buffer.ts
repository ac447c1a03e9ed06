import { inspect } from 'node:util';
import { LIMITS, LOG_LEVELS, type LogKind, type LogLevel } from '@jobline/contracts';
import type { LogLine } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { NOTES, storableText } from '../reporting/job-log.js';

/** The log entries of one attempt that are not in Postgres yet. */
export type LineBuffer = ReturnType<typeof createLineBuffer>;

/** The log lines of an organization that wait in this worker, in characters. */
export interface LogBudget {
  isUsed(): boolean;
  /** Adds to what waits, or subtracts from it. */
  add(length: number): void;
}

/**
 * Each entry gets the start of the attempt by the database plus the monotonic time since then. So the order and the
 * times of the entries agree, whatever the clock of this machine shows.
 */
export function createLineBuffer(startedAt: Date, budget: LogBudget = { isUsed: () => false, add: () => undefined }) {
  const openedAt = performance.now();
  let lines: LogLine[] = [];
  let count = 0;
  let isClosed = false;
  let confirmed = 0;
  let isInDoubt = false;
  let hasDropped = false;
  /** The length of all entries that are not stored yet, those that are being written included. */
  let kept = 0;

  function now(): Date {
    return new Date(startedAt.getTime() + Math.floor(elapsedMs(openedAt)));
  }

  function keep(length: number): void {
    kept += length;
    budget.add(length);
  }

  function push(kind: LogKind, level: LogLevel, message: string | null): void {
    const line = { kind, level, message: message && storableText(message, LIMITS.logLineBytes), at: now() };
    lines.push(line);
    keep(lengthOf([line]));
  }

  function putBack(taken: LogLine[]): void {
    lines = [...taken, ...lines];
  }

  return {
    /** The time of an entry that would be added now. */
    now,
    /** Adds an entry of the handler, or an entry of the engine about the attempt, up to the limits of an attempt. */
    write(level: LogLevel, message: string, kind: 'log' | 'note' | 'canceled' = 'log'): void {
      // A handler written in JavaScript may pass any value.
      const known = LOG_LEVELS.includes(level) ? level : 'info';
      const text = typeof message === 'string' ? message : inspect(message, { depth: 1 });
      if (isClosed || count > LIMITS.logLinesPerAttempt) return;
      if (kind === 'log' && budget.isUsed()) {
        if (!hasDropped) push('note', 'warn', NOTES.dropped);
        hasDropped = true;
        return;
      }
      count++;
      if (count <= LIMITS.logLinesPerAttempt) push(kind, known, text);
      else push('note', 'warn', NOTES.truncated(LIMITS.logLinesPerAttempt));
    },
    /** Adds the entry that ends the attempt. Nothing can be added after it. */
    end(kind: LogKind, level: LogLevel, message: string | null): void {
      isClosed = true;
      push(kind, level, message);
    },
    /** Accepts no more entries, except that of `end`. */
    close(): void {
      isClosed = true;
    },
    isEmpty: (): boolean => lines.length === 0,
    /** The length of the entries that can be taken, in characters. */
    length: (): number => lengthOf(lines),
    /** Removes and returns the first entries, up to a length, but at least one if there is any. */
    take(maxLength = Number.POSITIVE_INFINITY): LogLine[] {
      let end = 0;
      for (let length = 0; end < lines.length; end++) {
        length += lengthOf(lines.slice(end, end + 1));
        if (length > maxLength && end > 0) break;
      }
      return lines.splice(0, end);
    },
    /** Puts back entries that were taken and not written. */
    putBack,
    /** Puts back entries that were taken and may have been written, because the answer was lost. */
    putBackDoubtful(taken: LogLine[]): void {
      putBack(taken);
      isInDoubt = true;
    },
    /** These taken entries are stored, or are no longer needed. */
    confirm(written: readonly LogLine[]): void {
      confirmed += written.length;
      isInDoubt = false;
      keep(-lengthOf(written));
    },
    /** No entry waits any more: what is left is stored with the outcome, or is no longer needed. */
    release: (): void => keep(-kept),
    /** The number of entries that are certainly stored. */
    confirmed: (): number => confirmed,
    /** Whether the next entries to be taken may already be stored. */
    isInDoubt: (): boolean => isInDoubt,
  };
}

export function lengthOf(lines: readonly Pick<LogLine, 'message'>[]): number {
  return lines.reduce((sum, { message }) => sum + (message?.length ?? 0), 0);
}
